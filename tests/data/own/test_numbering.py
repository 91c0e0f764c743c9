"""Which class a value of a mask stands for."""

import io

import numpy as np
import pytest
from PIL import Image, ImageDraw

from vitbackbones.data.loading.load_mask import BadMask
from vitbackbones.data.own.numbering import ALL, BINARY, MANY, Looks, Numbering, find_numbering
from vitbackbones.errors import InputError


def numbering(folder, values, **files):
    """The numbering of a mask with these values, beside files of names."""
    mask = folder / '0.png'
    Image.fromarray(np.array([values], np.uint8 if max(values) < 256 else np.uint16)).save(mask)
    for name, text in files.items():
        (folder / name.replace('_', '.')).write_text(text)
    return find_numbering(folder, [mask])


@pytest.mark.parametrize(
    ('values', 'expected'),
    [
        ([0, 255], Numbering(BINARY, values=(0, 255))),
        ([0, 1], Numbering(BINARY)),
        ([0, 1, 2], Numbering(['class 0', 'class 1', 'class 2'])),
        ([1, 2, 3], Numbering(['class 1', 'class 2', 'class 3'], from_one=True)),
        ([0, 50, 100], Numbering(['class 0', 'class 50', 'class 100'], values=(0, 50, 100))),
    ],
)
def test_values_alone(tmp_path, values, expected):
    assert numbering(tmp_path, values) == expected


@pytest.mark.parametrize(
    ('values', 'text', 'expected'),
    [
        ([0, 1], 'sky\nroad\ncar\n', Numbering(['sky', 'road', 'car'])),
        ([1, 3], 'sky\nroad\ncar\n', Numbering(['sky', 'road', 'car'], from_one=True)),
        ([1, 2], 'sky\nroad\ncar\n', Numbering(['sky', 'road', 'car'])),
        ([0, 255, 1], 'sky\nroad\n', Numbering(['sky', 'road'])),
        ([0, 255], 'sky\nroad\ncar\n', Numbering(['sky', 'road', 'car'])),
        ([1, 2, 255], 'sky\nroad\n', Numbering(['sky', 'road'], from_one=True)),
        ([0, 1], '0: sky\n1: road\n', Numbering(['sky', 'road'])),
        ([1, 2], '1: sky\n2: road\n', Numbering(['sky', 'road'], values=(1, 2))),
        ([7, 7], '7= road\n26 car\n', Numbering(['road', 'car'], values=(7, 26))),
        ([0, 1], '1: car\n 2\n', Numbering(['1: car', '2'])),
        ([0, 255], 'ground\ncar\n', Numbering(['ground', 'car'], values=(0, 255))),
        ([0, 2], 'sky\nroad\nVoid\n', Numbering(['sky', 'road'], ignored=(2,))),
        ([0, 2], 'void\nsky\nroad\n', Numbering(['sky', 'road'], values=(1, 2), ignored=(0,))),
        ([7, 26], '7: road\n26: car\n', Numbering(['road', 'car'], values=(7, 26))),
        ([0, 255], '255: car\n0: ground\n', Numbering(['car', 'ground'], values=(255, 0))),
        ([0, 255], '1: car\n0: ground\n', Numbering(['ground', 'car'], values=(0, 255))),
        ([0, 255], '0: ground\n255: void\n', Numbering(['ground'], ignored=(255,))),
        ([1, 2], '0: void\n1: car\n2: void\n', Numbering(['car'], (1,), ignored=(0, 2))),
    ],
)
def test_a_file_of_names(tmp_path, values, text, expected):
    assert numbering(tmp_path, values, classes_txt=text) == expected


@pytest.mark.parametrize(
    ('values', 'files', 'message'),
    [
        ([0, 0], {}, 'all masks together contain 0'),
        ([0, 3], {'classes_txt': 'sky\nroad\n'}, r'lists 2 classes .*, but masks also contain 3'),
        ([0, 1], {'classes_txt': 'sky\nsky\n'}, 'and each name only once'),
        ([1, 4], {'classes_txt': 'a\nb\nc\n'}, 'also contain 4'),
        ([0, 9], {'classes_txt': '7: a\n8: b\n'}, 'lists 2 classes .* 7, 8.* also contain 0, 9'),
        ([0, 255], {'classes_txt': '1: a\n2: b\n'}, 'lists 2 classes .* also contain 0'),
        ([0, 1], {'classes_txt': '0: a\n1: b\n1: c\n'}, 'more than one name: 1. Give'),
        ([0, 1], {'classes_txt': '0: a\n1: b\n2: b\n'}, "more than one value: 'b'. Give"),
        ([255, 255], {}, 'contain nothing'),
        ([7, 255], {}, 'contain 7'),
    ],
)
def test_what_does_not_tell_the_classes(tmp_path, values, files, message):
    with pytest.raises(InputError, match=message):
        numbering(tmp_path, values, **files)


def regions(seed, classes, count=15):
    """A mask of square regions of some classes on 0."""
    rng, mask = np.random.default_rng(seed), np.zeros((60, 80), np.uint8)
    for value in rng.permutation(classes)[:count]:
        row, column = rng.integers(0, 50), rng.integers(0, 70)
        mask[row : row + 10, column : column + 10] = value
    return mask


def objects(seed, first=1):
    """A mask of up to 11 objects, numbered."""
    mask = np.zeros((60, 80), np.uint8)
    for n in range(3 + seed % 9):
        row, column = 20 * (n // 6), 13 * (n % 6)
        mask[row : row + 12, column : column + 10] = n + first
    return mask


def blurred(seed, way=Image.Resampling.BILINEAR, times=2):
    small = Image.fromarray(255 * (regions(seed, 2) > 0).astype(np.uint8)).resize(
        (80 // times, 60 // times), way
    )
    return np.asarray(small.resize((80, 60), way))


def lines(seed):
    """Thin lines with soft edges, as of cracks."""
    image = Image.new('L', (320, 240))
    ImageDraw.Draw(image).line([(0, 10 + 9 * seed), (160, 120), (319, 20)], fill=255, width=6)
    return np.asarray(image.resize((80, 60), Image.Resampling.LANCZOS))


def as_jpeg(seed):
    stream = io.BytesIO()
    Image.fromarray(255 * (regions(seed, 2) > 0).astype(np.uint8)).save(stream, 'JPEG', quality=90)
    return np.asarray(Image.open(stream))


def stray(seed):
    mask = 255 * (regions(seed, 2) > 0).astype(np.uint8)
    mask[seed, seed] = 254
    return mask


def looked_at(folder, draw, count=8):
    for seed in range(count):
        Image.fromarray(draw(seed)).save(folder / f'{seed}.png')
    return find_numbering(folder, [folder / f'{seed}.png' for seed in range(count)])


@pytest.mark.parametrize(
    ('draw', 'message'),
    [
        (
            blurred,
            r'have the values 0, 255\. The others .* mask = \(mask > 127\) \* 255',
        ),
        (lambda seed: blurred(seed, Image.Resampling.LANCZOS, 4), 'occur only along edges'),
        (lambda seed: blurred(seed) if seed == 5 else stray(0) // 255 * 255, 'only along edges'),
        (lines, 'occur only along edges'),
        (as_jpeg, 'occur only along edges'),
        (stray, 'contain 3 values, but 100% of the pixels have the values 0, 255'),
        (objects, 'number objects instead of classes: each mask counts from 1'),
        (
            lambda seed: objects(seed, 1 + 12 * seed),
            'objects instead of classes: nearly every value is in only one',
        ),
        (
            lambda seed: regions(seed, 256, 99) ^ np.arange(80, dtype=np.uint8),
            'too many for classes',
        ),
    ],
)
def test_values_that_cannot_be_those_of_classes(tmp_path, draw, message):
    with pytest.raises(InputError, match=message) as error:
        looked_at(tmp_path, draw)
    assert f'name the classes in {tmp_path / "classes.txt"}' in str(error.value)
    (tmp_path / 'classes.txt').write_text(''.join(f'{n}: value {n}\n' for n in range(256)))
    assert len(looked_at(tmp_path, draw).classes) == 256  # what the message advises


def test_soft_edges_are_named_where_a_file_names_the_classes(tmp_path):
    (tmp_path / 'classes.txt').write_text('ground\nthing\n')
    with pytest.raises(InputError, match=r'lists 2 classes, but masks .* only along edges'):
        looked_at(tmp_path, blurred)


@pytest.mark.parametrize(
    ('draw', 'classes'),
    [
        (lambda seed: np.arange(4800).reshape(60, 80).astype(np.uint16) // 32, 150),  # as ADE20K's
        (lambda seed: np.random.default_rng(seed).integers(0, 150, (60, 80)).astype(np.uint8), 150),
        (lambda seed: regions(seed, 32), 32),  # CamVid's
        (lambda seed: regions(seed, 34), 34),  # labelIds
        (lambda seed: regions(seed, 59), 59),
        (lambda seed: regions(seed, 21) | np.eye(60, 80, dtype=np.uint8) * 255, 21),  # VOC's border
        (lambda seed: regions(seed, 3) | 3 * np.eye(60, 80, dtype=np.uint8), 4),  # a thin class
    ],
)
def test_many_values_that_are_classes(tmp_path, draw, classes):
    found = looked_at(tmp_path, draw, 30)
    assert found == Numbering([f'class {n}' for n in range(classes)])


def test_a_few_values_along_edges_are_said(tmp_path):
    def resized(seed):
        small = Image.fromarray(np.array([0, 2, 6], np.uint8)[regions(seed, 3)]).resize(
            (40, 30), Image.Resampling.BILINEAR
        )
        return np.asarray(small.resize((80, 60), Image.Resampling.BILINEAR))

    (note,) = looked_at(tmp_path, resized).notes
    assert 'the mask values 1, 3, 4, 5 occur only along edges. If resizing created them' in note


@pytest.mark.parametrize(
    ('values', 'classes', 'notes'),
    [
        ((0, 127, 255), ['class 0', 'class 127', 'class 255'], 0),
        ((0, 128, 255), ['class 0', 'class 128', 'class 255'], 0),
        ((0, 76, 255), ['class 0', 'class 76'], 1),
        ((0, 1, 255), BINARY, 0),
    ],
)
def test_white_is_a_class_of_gray_levels_and_is_ignored_otherwise(tmp_path, values, classes, notes):
    found = looked_at(tmp_path, lambda seed: np.array(values, np.uint8)[regions(seed, 3)])
    assert found.classes == classes
    assert len(found.notes) == notes
    assert all('mask value 255 is ignored. If it is a class' in note for note in found.notes)


def test_the_file_of_names_may_lie_beside_the_masks(tmp_path):
    folder = tmp_path / 'set' / 'masks'
    folder.mkdir(parents=True)
    (folder.parent / 'classes.txt').write_text('sky\nroad\ncar\n')
    Image.fromarray(regions(0, 3)).save(folder / '0.png')
    assert find_numbering(tmp_path, [folder / '0.png']).classes == ['sky', 'road', 'car']


def test_values_of_16_bits_are_named_with_their_file(tmp_path):
    with pytest.raises(BadMask, match=r'0\.png: contains 300'):
        numbering(tmp_path, [0, 300])


def looks(values, thin=(), masks=3, spread=1.0):
    """Looks at masks with 100 pixels of each value, in each of them or in a part."""
    pixels = np.zeros((masks, 256), int)
    pixels[: max(1, round(masks * spread)), [*values]] = 100
    inside = pixels.sum(0)
    inside[[*thin]] = 0
    return Looks(pixels, inside)


@pytest.mark.parametrize(
    ('count', 'masks', 'spread', 'is_too_many'),
    [
        (MANY, 10, 0.1, False),
        (MANY + 1, 10, 0.1, True),
        (MANY + 1, 10, 0.2, False),  # in two masks each
        (MANY + 1, 1, 1, False),
        (ALL, 10, 1, False),
        (ALL + 1, 10, 1, True),
    ],
)
def test_so_many_values_are_no_classes(count, masks, spread, is_too_many):
    assert bool(looks(range(count), masks=masks, spread=spread).many) is is_too_many


@pytest.mark.parametrize(
    ('values', 'thin', 'is_soft'),
    [
        ([0, 9, 255], [9], True),  # between black and white
        ([0, 9, 255], [], False),
        ([0, 1, 255], [1], False),  # counted, with what is ignored
        ([0, 1, 2, 255], [1, 2], False),
        ([0, 2, 255], [2], True),
        ([0, 9], [9], False),
        ([9, 255], [9], False),
        ([0, 9, 50, 255], [9], False),
        (range(10), range(2, 10), False),  # the regions have too few of the pixels
        ([0, 1, *range(10, 18)], range(10, 18), False),
    ],
)
def test_soft_edges(values, thin, is_soft):
    assert bool(looks(values, thin).soft) is is_soft


def test_values_along_edges_by_their_number():
    found = looks([0, 50, *range(100, 108)], range(100, 108))
    found.pixels[:, [0, 50]] = 400
    found.inside[[0, 50]] = 1200
    assert found.edges == {*range(100, 108)}
    assert '10 values' in found.soft
    assert '50%' in found.soft
    fewer = looks([0, 50, *range(100, 107)], range(100, 107))
    fewer.pixels[:, [0, 50]] = 400
    fewer.inside[[0, 50]] = 1200
    assert fewer.soft == ''


def test_a_quarter_inside_is_a_region():
    found = looks([0, 7])
    found.inside[7] = 75
    assert found.edges == set()
    found.inside[7] = 74
    assert found.edges == {7}
