"""Masks with a file for each object, in the layouts that people have."""

import numpy as np
import pytest
from PIL import Image

from vitbackbones.data.loading.coco_masks import to_mask
from vitbackbones.errors import InputError
from vitbackbones.importing.mask_files import EMPTY, SOFT
from vitbackbones.importing.masks import read_instances
from vitbackbones.importing.source import Source

from .forms import SIZE, picture

WIDTH, HEIGHT = SIZE
BOXES = [(2, 3, 12, 13), (8, 8, 20, 18)]  # x1, y1, x2, y2, which overlap


def mask_of(box, value=255, kind=np.uint8, size=(HEIGHT, WIDTH)):
    mask = np.zeros(size, kind)
    mask[box[1] : box[3], box[0] : box[2]] = value
    return mask


def save(file, mask):
    file.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(mask).save(file)


def write(root, names, layout='{name}/images/{name}.png {name}/masks/{number}f.png', **form):
    """Write pictures, and a mask for each of two objects of each."""
    where, masks = layout.split()
    for name in names:
        file = root / where.format(name=name)
        file.parent.mkdir(parents=True, exist_ok=True)
        picture(file)
        for number, box in enumerate(BOXES):
            save(root / masks.format(name=name, number=number), mask_of(box, **form))
    return root


def read(root, form='numbers', names=()):
    source = Source(root, names=names)
    pictures, classes = read_instances(source, form, None)
    return pictures, classes, source


@pytest.mark.parametrize(
    ('layout', 'form'),
    [
        ('{name}/images/{name}.png {name}/masks/{number}f.png', 'numbers'),  # Data Science Bowl
        ('stage1_train/{name}/images/{name}.png stage1_train/{name}/masks/{number}.png', 'numbers'),
        ('{name}/{name}.png {name}/masks/{number}.png', 'files'),
        ('images/{name}.png masks/{name}/{number}.png', 'numbers'),
        ('images/{name}.jpg annotations/{name}/mask_{number}.png', 'numbers'),
        ('train/images/{name}.png train/masks/{name}/{number}.png', 'files'),
        ('images/{name}.png masks/{name}_{number}.png', 'files'),
        ('images/{name}.jpg annotations/{name}_square_{number}.png', 'files'),  # pycococreator
    ],
)
@pytest.mark.parametrize('names', [('a1', 'a12', 'b'), ('image_1', 'image_2', 'photo_3')])
def test_each_file_is_an_object_of_its_picture(tmp_path, layout, form, names):
    pictures, classes, source = read(write(tmp_path, names, layout), form)
    assert classes == ['object']
    assert sorted(each.path.stem for each in pictures) == sorted(names)
    for each in pictures:
        assert each.split is None
        assert [entry['bbox'] for entry in each.objects] == [[2, 3, 10, 10], [8, 8, 12, 10]]
        for entry, box in zip(each.objects, BOXES, strict=True):  # whole where they overlap
            mask = to_mask(entry['segmentation'], HEIGHT, WIDTH)
            assert np.array_equal(mask, mask_of(box) > 0)
    assert (source.faults, dict(source.changes)) == ([], {})


@pytest.mark.parametrize(
    'form',
    [{'value': 1}, {'value': 60_000, 'kind': np.uint16}, {'value': 65535, 'kind': np.uint16}],
)
def test_a_mask_may_have_any_number(tmp_path, form):
    ((found,), _, _) = read(write(tmp_path, ['a'], **form))
    assert [entry['area'] for entry in found.objects] == [100, 120]


@pytest.mark.parametrize('mode', ['RGB', 'RGBA', 'P', '1'])
def test_a_mask_may_have_any_mode(tmp_path, mode):
    write(tmp_path, ['a'])
    for file in (tmp_path / 'a' / 'masks').iterdir():
        Image.open(file).convert(mode).save(file)
    ((found,), _, _) = read(tmp_path)
    assert [entry['area'] for entry in found.objects] == [100, 120]


def test_an_empty_mask_is_left_out_and_soft_borders_are_cut(tmp_path):
    write(tmp_path, ['a'])
    save(tmp_path / 'a' / 'masks' / 'none.png', mask_of((0, 0, 0, 0)))
    soft = mask_of((20, 0, 30, 10))
    soft[0], soft[9] = soft[0] // 3, soft[9] // 3 * 2
    save(tmp_path / 'a' / 'masks' / 'soft.png', soft)
    ((found,), _, source) = read(tmp_path)
    assert [entry['area'] for entry in found.objects] == [100, 120, 90]
    assert [*source.changes] == [EMPTY, SOFT]


def test_a_mask_of_another_size_is_one_message_for_its_picture(tmp_path):
    write(tmp_path, ['a', 'b'])
    for number in range(2):
        save(tmp_path / 'a' / 'masks' / f'{number}f.png', mask_of(BOXES[0], size=(WIDTH, HEIGHT)))
    pictures, _, source = read(tmp_path)
    assert [each.path.stem for each in pictures] == ['b']
    (fault,) = source.faults
    assert f'has {HEIGHT} x {WIDTH} pixels, but its image' in fault


def test_a_mask_of_several_objects_is_refused(tmp_path):
    write(tmp_path, ['a'])
    save(tmp_path / 'a' / 'masks' / 'both.png', mask_of(BOXES[0], 1) + mask_of(BOXES[1], 2))
    (fault,) = read(tmp_path)[2].faults
    assert 'both.png: has the numbers 1, 2, 3. In a folder with a mask for each object' in fault


def test_the_name_of_a_mask_tells_its_class(tmp_path):
    write(tmp_path, ['a', 'b'], 'images/{name}.png masks/{name}_cat_{number}.png')
    save(tmp_path / 'masks' / 'b_black-cat_7.png', mask_of((20, 0, 30, 10)))
    (a, b), classes, _ = read(tmp_path, 'files', ['cat', 'black-cat', 'dog'])
    assert classes == ['black-cat', 'cat']
    assert sorted(entry['name'] for entry in b.objects) == ['black-cat', 'cat', 'cat']
    (fault, _) = read(tmp_path, 'files', ['dog', 'cow'])[2].faults
    assert 'a_cat_0.png: its name contains none of --names' in fault
    assert read(tmp_path, 'files', ['nucleus'])[1] == ['nucleus']


def test_pictures_and_masks_without_a_match_are_named(tmp_path):
    write(tmp_path, ['a', 'b'], 'images/{name}.png masks/{name}/{number}.png')
    picture(tmp_path / 'images' / 'c.png')
    save(tmp_path / 'masks' / 'd' / '0.png', mask_of(BOXES[0]))
    (left,) = read(tmp_path)[2].changes.values()
    assert [file.rpartition('/')[2] for file in left] == ['c.png', '0.png']


def test_no_picture_with_masks_is_refused_with_the_layout(tmp_path):
    write(tmp_path, ['a', 'b'], 'images/{name}.png masks/x{name}{number}.png')
    with pytest.raises(InputError, match='no image has masks. Put those of an image into a folder'):
        read(tmp_path, 'files')
