"""Masks with a color for each class, and the tables that name the colors."""

import numpy as np
import pytest
from PIL import Image

from vitbackbones.errors import InputError
from vitbackbones.importing.masks import import_masks
from vitbackbones.importing.source import Source

from .forms import SIZE, picture

ROAD, CAR, BLEND = (128, 64, 128), (64, 0, 128), (96, 32, 128)
TABLE = 'name,r,g,b\nroad,128,64,128\ncar,64,0,128\nvoid,0,0,0\n'


def colored(root, name, spots=(), mode='RGB', size=SIZE, suffix='.png'):
    """Write a picture and its mask: road, with a car in the left half and spots of pixels."""
    picture(root / 'images' / f'{name}.jpg')
    pixels = np.full((*size[::-1], 3), ROAD, np.uint8)
    pixels[:, : size[0] // 2] = CAR
    for row, column, color in spots:
        pixels[row, column] = color
    (root / 'masks').mkdir(exist_ok=True)
    Image.fromarray(pixels).convert(mode).save(root / 'masks' / f'{name}{suffix}')


def imported(root, out, colors=None):
    """Import with links; return the summary and the source."""
    source = Source(root)
    return import_masks(source, out, colors, False), source


def test_colors_become_numbers_and_those_of_no_class_are_ignored(tmp_path):
    root, out = tmp_path / 'in', tmp_path / 'out'
    colored(root, 'a', [(0, 0, (0, 0, 0)), (3, 20, BLEND)])
    colored(root, 'b', mode='RGBA')
    picture(root / 'masks' / 'c.png')
    (root / 'class_dict.csv').write_text(TABLE)
    summary, source = imported(root, out)
    assert summary == '2 classes: road, car; 2 pictures with masks'
    mask = np.array(Image.open(out / 'masks' / 'a.png'))
    assert (mask[0, 0], mask[3, 20], mask[1, 0], mask[1, 30]) == (255, 255, 1, 0)
    assert (out / 'classes.txt').read_text() == 'road\ncar\n'
    assert (out / 'images' / 'a.jpg').resolve() == root / 'images' / 'a.jpg'
    assert source.faults == []
    assert source.changes == {
        'colors that are not in the table, ignored (255)': ['#602080 (1 pixel)'],
        'images and masks without a match, left out': [str(root / 'masks' / 'c.png')],
    }


def test_faults_are_named_by_file(tmp_path):
    root = tmp_path / 'in'
    for name, more in (('a', {}), ('c', {'size': (20, 30)}), ('d', {})):
        colored(root, name, **more)
    (root / 'masks' / 'd.png').write_bytes(b'no picture')
    (root / 'class_dict.csv').write_text(TABLE)
    summary, source = imported(root, tmp_path / 'out')
    small, damaged = source.faults
    assert 'c.png: has 20 x 30 pixels, but its image' in small
    assert 'd.png: damaged or not an image' in damaged
    assert '1 picture with masks' in summary


def test_what_fits_no_table_is_refused(tmp_path):
    root = tmp_path / 'in'
    colored(root, 'a')
    said = r'no file names the colors\. Add a colors\.txt .* contains \d+ \d+ .* need no import'
    with pytest.raises(InputError, match=said):
        imported(root, tmp_path / 'out')
    (root / 'colors.txt').write_text('1 2 3 sky\n64 0 128 car\n')
    with pytest.raises(InputError, match=r'50% of the mask pixels .* not in the table: #804080 \('):
        imported(root, tmp_path / 'out')
    (root / 'masks' / 'a.png').unlink()
    colored(root, 'a', suffix='.jpg')
    with pytest.raises(InputError, match=r'% of the mask pixels .* JPEG changes colors'):
        imported(root, tmp_path / 'out2')


@pytest.mark.parametrize(
    ('name', 'text'),
    [
        ('class_dict.csv', 'name,r,g,b\nroad 1,128,64,128\ncar,64,0,128\n'),
        ('labelmap.txt', '# label:color_rgb:parts:actions\nroad 1:128,64,128::\ncar:64,0,128::\n'),
        ('label_colors.txt', '128 64 128\t\troad 1\n64 0 128\t\tcar\n'),
    ],
)
def test_the_forms_of_tables(tmp_path, name, text):
    colored(tmp_path / 'in', 'a')
    (tmp_path / 'in' / name).write_text(text)
    imported(tmp_path / 'in', tmp_path / 'out')
    assert (tmp_path / 'out' / 'classes.txt').read_text() == 'road 1\ncar\n'
    assert set(np.array(Image.open(tmp_path / 'out' / 'masks' / 'a.png')).flat) == {0, 1}


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('road,128,64\ncar,64,0,128\n', "line 1: 'road,128,64' is not a name with three numbers"),
        ('road,1,1,1\ncar,1,1,1\n', 'has 1 different colors on 2 lines'),
        ('road,1,1,999\ncar,1,1,1\n', "line 1: 'road,1,1,999' .* up to 255"),
        (f'name{" " * 50000}x', 'line 1: .* is not a name with three numbers'),
    ],
)
def test_a_table_that_cannot_be_read(tmp_path, text, message):
    colored(tmp_path / 'in', 'a')
    (tmp_path / 'class_dict.csv').write_text(text)
    with pytest.raises(InputError, match=message):
        imported(tmp_path / 'in', tmp_path / 'out', tmp_path / 'class_dict.csv')
