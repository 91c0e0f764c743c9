"""Rows and sheets of pictures, colors, and what is written to the disk."""

import errno
import os

import pytest
from PIL import Image

from vitbackbones.drawing.sheet import LINE, draw_samples, save, save_samples, text_label
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
    with pytest.raises(InputError, match=f'{name}: pictures have a suffix such as .png or .jpg'):
        save(image(), tmp_path / name)
