"""Masks with a color for each class, and the tables that name the colors."""

import numpy as np
import pytest
from PIL import Image

from vitbackbones.errors import InputError
from vitbackbones.importing.color_masks import import_color_masks
from vitbackbones.importing.color_table import find_table
from vitbackbones.importing.notes import Notes

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


def test_colors_become_numbers_and_those_of_no_class_are_ignored(tmp_path):
    root, out, notes = tmp_path / 'in', tmp_path / 'out', Notes()
    colored(root, 'a', [(0, 0, (0, 0, 0)), (3, 20, BLEND)])
    colored(root, 'b', mode='RGBA')
    (root / 'class_dict.csv').write_text(TABLE)
    summary = import_color_masks(root, out, None, False, notes)
    assert summary == '2 classes: road, car; 2 pictures with masks'
    mask = np.array(Image.open(out / 'masks' / 'a.png'))
    assert (mask[0, 0], mask[3, 20], mask[1, 0], mask[1, 30]) == (255, 255, 1, 0)
    assert (out / 'classes.txt').read_text() == 'road\ncar\n'
    assert (out / 'images' / 'a.jpg').resolve() == root / 'images' / 'a.jpg'
    assert notes.faults == []
    assert notes.lines() == [
        'colors that the table lacks, 0.04% of the pixels, ignored (255): 1 (#602080 (1 pixel))'
    ]


def test_without_a_table_the_colors_are_the_classes(tmp_path):
    root, out = tmp_path / 'in', tmp_path / 'out'
    colored(root, 'a', [(0, 0, (0, 0, 0))])
    import_color_masks(root, out, None, False, Notes())
    assert {*(out / 'classes.txt').read_text().split()} == {'#804080', '#400080', 'background'}


def test_faults_are_named_by_file(tmp_path):
    root, notes = tmp_path / 'in', Notes()
    colored(root, 'a')
    colored(root, 'b', mode='L')
    colored(root, 'c', size=(20, 30))
    (root / 'masks' / 'd.png').write_bytes(b'no picture')
    picture(root / 'images' / 'd.jpg')
    (root / 'colors.json').write_text('{"road": [128, 64, 128], "car": [64, 0, 128]}')
    import_color_masks(root, tmp_path / 'out', None, False, notes)
    gray, small, damaged = notes.faults
    assert 'b.png: is of kind L, without colors. Index masks, also of 0 and 255, need no' in gray
    assert 'c.png: has 20 x 30 pixels, its image' in small
    assert 'd.png: damaged or not an image' in damaged


def test_blended_borders_without_a_table_and_a_table_of_other_colors_are_refused(tmp_path):
    root = tmp_path / 'in'
    colored(root, 'a', [(0, i, (i, 0, 0)) for i in range(SIZE[0])])
    colored(root, 'b', [(0, i, (0, i + 1, 0)) for i in range(SIZE[0])])
    with pytest.raises(InputError, match=r'have 82 colors.* Write a colors\.txt .*#804080: '):
        import_color_masks(root, tmp_path / 'out', None, False, Notes())
    (root / 'colors.txt').write_text('1 2 3 sky\n64 0 128 car\n')
    with pytest.raises(InputError, match=r'5\d% of the pixels .* lacks: #804080 \('):
        import_color_masks(root, tmp_path / 'out', None, False, Notes())


def test_a_jpeg_of_colors_is_refused(tmp_path):
    root, notes = tmp_path / 'in', Notes()
    colored(root, 'a', suffix='.jpg')
    (root / 'class_dict.csv').write_text(TABLE)
    with pytest.raises(InputError, match='not one mask can be used; .*JPEG, which changes colors'):
        import_color_masks(root, tmp_path / 'out', None, False, notes)


@pytest.mark.parametrize(
    ('name', 'text'),
    [
        ('class_dict.csv', 'name,r,g,b\nroad 1,128,64,128\ncar,64,0,128\n'),
        ('labelmap.txt', '# label:color_rgb:parts:actions\nroad 1:128,64,128::\ncar:64,0,128::\n'),
        ('label_colors.txt', '128 64 128\t\troad 1\n64 0 128\t\tcar\n'),
        ('colors.json', '{"road 1": [128, 64, 128], "car": [64, 0, 128]}'),
    ],
)
def test_the_forms_of_tables(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert find_table(tmp_path, None) == {0x804080: 'road 1', 0x400080: 'car'}


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('road,128,64\ncar,64,0,128\n', "line 1: 'road,128,64' is not a name with three numbers"),
        ('road,1,1,1\ncar,1,1,1\n', 'has 1 colors in 2 lines'),
        ('road,1,1,999\ncar,1,1,1\n', 'three numbers|from 0 to 255'),
    ],
)
def test_a_table_that_cannot_be_read(tmp_path, text, message):
    (tmp_path / 'class_dict.csv').write_text(text)
    with pytest.raises(InputError, match=message):
        find_table(tmp_path, None)


@pytest.mark.parametrize(
    ('name', 'text', 'message'),
    [
        ('colors.txt', f'name{" " * 50000}x', 'line 1: .* is not a name with three numbers'),
        ('colors.json', '{"a": [-1, 0, 0], "b": [1, 0, 0]}', 'a number that is not from 0 to 255'),
        ('colors.json', '{" ": [1, 1, 1], "b": [1, 0, 0]}', 'a color has no name'),
        ('colors.json', r'{"\ud800": [1, 1, 1], "b": [1, 0, 0]}', 'must be {"name"'),
    ],
)
def test_tables_that_are_no_tables_are_refused_at_once(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=message):
        find_table(tmp_path, None)


def test_a_name_of_two_lines_is_one_name(tmp_path):
    (tmp_path / 'colors.json').write_text('{"a\\nb": [1, 1, 1], "c": [0, 0, 0]}')
    assert find_table(tmp_path, None) == {0x010101: 'a b', 0: 'c'}
