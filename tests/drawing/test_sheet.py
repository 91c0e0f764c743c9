"""Rows and sheets of pictures, colors, and what is written to the disk."""

import errno
import os

import numpy as np
import pytest
from PIL import Image, ImageFont

from vitbackbones.drawing import sheet
from vitbackbones.drawing.sheet import (
    FONT_SIZE,
    GAP,
    LINE,
    MOST_LETTERS,
    PALETTE,
    _font_with,
    below,
    contact_sheet,
    draw_samples,
    enlarged,
    from_bgr,
    label_width,
    name_strip,
    one_line,
    save,
    save_samples,
    side_by_side,
    spread,
    text_label,
)
from vitbackbones.errors import InputError

GRAY = (128, 128, 128)


def image(width=160, height=160):
    return Image.new('RGB', (width, height), GRAY)


class Photos:
    """A data set of five images."""

    def __len__(self):
        return 5

    def get_data_info(self, place):
        return {'img_path': f'/photos/{"abcde"[place]}.jpg'}


def test_samples_are_drawn_with_a_sheet_of_them(tmp_path):
    drawn = []

    def draw(place, path):
        drawn.append((place, path))
        return image()

    files = save_samples(draw_samples(Photos(), 3, draw), tmp_path)
    assert next(files) == tmp_path / '00000_a.png'
    assert len(drawn) == 1  # a file is written before the next one is drawn
    assert [file.name for file in files] == ['00002_c.png', '00004_e.png', 'contact_sheet.png']
    assert drawn == [(0, '/photos/a.jpg'), (2, '/photos/c.jpg'), (4, '/photos/e.jpg')]
    assert all(file.is_file() for file in tmp_path.iterdir())


def test_a_name_of_any_length_is_drawn_as_one_line():
    """Pillow refuses a million characters, and takes a minute for less."""
    picture = text_label('a\nb' * 10**6, (255, 255, 255))
    assert picture.height == LINE
    assert picture.width < 10_000


# ------------------------------------------------------------------------ writing


def test_a_full_disk_is_a_message(tmp_path, monkeypatch):
    def full(number):
        raise OSError(errno.ENOSPC, 'No space left on device')

    monkeypatch.setattr(os, 'fsync', full)
    with pytest.raises(InputError, match=r'a\.png cannot be written \(No space left on device\)'):
        save(image(), tmp_path / 'a.png')


@pytest.mark.parametrize('name', ['a', 'a.xyz', 'a.psd'])
def test_a_suffix_of_no_picture_is_refused(tmp_path, name):
    with pytest.raises(
        InputError, match=f'{name}: an image file must have a suffix such as .png or .jpg'
    ):
        save(image(), tmp_path / name)


RED, BLUE, WHITE = (200, 0, 0), (0, 0, 200), (255, 255, 255)


def plain(width, height, color=RED):
    return Image.new('RGB', (width, height), color)


def place_of(picture, color):
    """The box x1, y1, x2, y2 around the pixels of a color."""
    rows, columns = np.nonzero((np.asarray(picture) == color).all(-1))
    return (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)


def test_colors_are_those_of_okabe_and_ito():
    shown = ' '.join(bytes(color).hex() for color in PALETTE)
    assert shown == 'e69f00 56b4e9 009e73 f0e442 0072b2 d55e00 cc79a7'


def test_pixels_in_the_order_of_opencv():
    pixels = np.array([[[1, 2, 3], [4, 5, 6]]], np.uint8)
    assert np.asarray(from_bgr(pixels)).tolist() == [[[3, 2, 1], [6, 5, 4]]]


def test_other_bands_are_gray_or_the_first_three():
    gray = np.array([[7, 9]], np.uint8)
    assert np.asarray(from_bgr(gray)).tolist() == [[[7] * 3, [9] * 3]]
    assert np.asarray(from_bgr(gray[..., None])).tolist() == [[[7] * 3, [9] * 3]]
    two = np.array([[[1, 2], [3, 4]]], np.uint8)
    assert np.asarray(from_bgr(two)).tolist() == [[[1] * 3, [3] * 3]]
    five = np.arange(10, dtype=np.uint8).reshape(1, 2, 5)
    assert np.asarray(from_bgr(five)).tolist() == [[[0, 1, 2], [5, 6, 7]]]


def test_other_numbers_than_bytes_are_stretched_band_by_band():
    values = np.linspace(-1, 1, 101)[None, :, None] * [1.0, 100.0, 0.0]
    shown = np.asarray(from_bgr(values))[0]
    assert shown[[0, 2, 50, 98, 100], 0].tolist() == [0, 0, 127, 255, 255]
    assert (shown[:, 0] == shown[:, 1]).all()
    assert (shown[:, 2] == 0).all()


@pytest.mark.parametrize(
    ('size', 'expected'),
    [
        ((100, 50), (400, 200)),
        ((50, 200), (100, 400)),
        ((400, 10), (400, 10)),
        ((1000, 700), (1000, 700)),
        ((2000, 1000), (1000, 500)),
        ((9000, 1), (1000, 1)),
    ],
)
def test_the_longer_side_is_within_limits(size, expected):
    assert enlarged(plain(*size)).size == expected
    assert enlarged(plain(100, 50), (10, 20)).size == (20, 10)


@pytest.mark.parametrize(
    ('color', 'letters'), [((0, 114, 178), 'white'), ((240, 228, 66), 'black'), (RED, 'white')]
)
def test_letters_are_black_or_white(color, letters):
    pixels = np.asarray(text_label('MMMM', color)).astype(int)
    assert pixels.shape == (LINE, label_width('MMMM'), 3)
    other = {'white': 255, 'black': 0}[letters]
    assert (pixels == other).all(-1).sum() > 20
    assert not (pixels == 255 - other).all(-1).any()
    assert pixels[0, 0].tolist() == list(color)
    columns = np.nonzero((pixels != color).any((0, 2)))[0]
    assert 3 <= columns.min() <= 6
    assert len(columns) > label_width('MMMM') // 2


def test_a_text_is_cut_behind_so_many_letters():
    assert one_line('a' * MOST_LETTERS) == 'a' * MOST_LETTERS
    assert len(one_line('a' * (MOST_LETTERS + 1))) == MOST_LETTERS
    assert label_width('') == 6


def test_names_of_other_alphabets_are_drawn_as_they_are():
    names = ('Straße', 'Straäe', 'кот', 'ком')
    assert len({text_label(name, GRAY).tobytes() for name in names}) == 4


def test_letters_that_no_font_has_are_warned_of_once(monkeypatch, capsys):
    monkeypatch.setattr(sheet, '_fonts', lambda: iter([ImageFont.load_default(FONT_SIZE)]))
    _font_with.cache_clear()
    labels = [text_label(name, GRAY).tobytes() for name in ('猫', '犬', '猫 2')]
    _font_with.cache_clear()
    assert labels[0] == labels[1]  # as boxes
    warnings = capsys.readouterr().err.splitlines()
    assert len(warnings) == 2
    assert 'no font on this machine has the letters 猫, so they are drawn as boxes' in warnings[0]


def test_names_stand_in_rows():
    width = label_width('one') + GAP + label_width('two')
    strip = name_strip({'one': RED, 'two': BLUE, 'three': (0, 99, 0)}, width)
    assert strip.size == (width, 2 * (LINE + GAP))
    assert place_of(strip, RED) == (0, 0, label_width('one'), LINE)
    assert place_of(strip, BLUE) == (label_width('one') + GAP, 0, width, LINE)
    assert place_of(strip, (0, 99, 0))[:2] == (0, LINE + GAP)
    narrow = name_strip({'one': RED, 'two': BLUE}, width - 1)
    assert place_of(narrow, BLUE)[:2] == (0, LINE + GAP)
    assert name_strip({'one': RED}, 5).size == (5, LINE + GAP)


def test_a_row_of_cells_with_titles():
    row = side_by_side([('I', plain(30, 20)), ('I', plain(10, 40, BLUE))], width=25)
    assert row.size == (30 + GAP + 25, 40 + FONT_SIZE + GAP)
    top = FONT_SIZE + GAP
    assert place_of(row, RED) == (0, top, 30, top + 20)
    assert place_of(row, BLUE) == (30 + GAP, top, 40 + GAP, top + 40)
    (dark,) = np.nonzero((np.asarray(row)[:top] < 100).any((0, 2)))  # columns of letters
    assert 2 <= dark.min() < 8
    assert 30 + GAP + 2 <= dark.max() < 30 + GAP + 10


def test_one_picture_below_another():
    whole = below(plain(30, 10), plain(20, 5, BLUE), gap=4)
    assert whole.size == (30, 19)
    assert place_of(whole, BLUE) == (0, 14, 20, 19)
    assert place_of(whole, RED) == (0, 0, 30, 10)
    assert below(plain(30, 10), plain(20, 5)).height == 15
    assert below(plain(30, 10), plain(20, 5), height=9).height == 19


def test_a_grid_of_pictures():
    pictures = [plain(10, 10), plain(20, 40, BLUE), plain(10, 5, (0, 99, 0))]
    sheet = contact_sheet(pictures, columns=2, width=20)
    assert sheet.size == (2 * (20 + 2 * GAP), 40 + 2 * GAP + 10 + 2 * GAP)
    assert place_of(sheet, RED) == (GAP, GAP, GAP + 20, GAP + 20)
    assert place_of(sheet, BLUE) == (20 + 3 * GAP, GAP, 40 + 3 * GAP, GAP + 40)
    assert place_of(sheet, (0, 99, 0)) == (GAP, 40 + 3 * GAP, GAP + 20, 50 + 3 * GAP)
    assert contact_sheet(pictures[:1], width=20).size == (20 + 2 * GAP, 20 + 2 * GAP)


def test_places_from_the_first_to_the_last():
    assert spread(10, 4) == [0, 3, 6, 9]
    assert spread(3, 5) == [0, 1, 2]
    assert spread(9, 1) == [0]
