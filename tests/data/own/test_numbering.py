"""Which class a value of a mask stands for."""

import numpy as np
import pytest
from PIL import Image

from vitbackbones.data.loading.load_mask import BadMask
from vitbackbones.data.own.numbering import BINARY, Numbering, find_numbering
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
        ([0, 255], 'ground\ncar\n', Numbering(['ground', 'car'], values=(0, 255))),
        ([0, 2], 'sky\nroad\nVoid\n', Numbering(['sky', 'road'], ignored=(2,))),
        ([0, 2], 'void\nsky\nroad\n', Numbering(['sky', 'road'], values=(1, 2), ignored=(0,))),
        ([7, 26], '7: road\n26: car\n', Numbering(['road', 'car'], values=(7, 26))),
    ],
)
def test_a_file_of_names(tmp_path, values, text, expected):
    assert numbering(tmp_path, values, classes_txt=text) == expected


@pytest.mark.parametrize(
    ('values', 'files', 'message'),
    [
        ([0, 0], {}, 'all masks together hold 0'),
        ([0, 3], {'classes_txt': 'sky\nroad\n'}, r'names 2 classes, .* but masks hold 3 as well'),
        ([0, 1], {'classes_txt': 'sky\nsky\n'}, 'each in a line, once'),
    ],
)
def test_what_does_not_tell_the_classes(tmp_path, values, files, message):
    with pytest.raises(InputError, match=message):
        numbering(tmp_path, values, **files)


def test_values_of_16_bits_are_named_with_their_file(tmp_path):
    with pytest.raises(BadMask, match=r'0\.png: holds 300'):
        numbering(tmp_path, [0, 300])
