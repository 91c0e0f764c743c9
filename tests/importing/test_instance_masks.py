"""Masks that tell objects apart, and what they look like from different tools."""

import numpy as np
import pytest
from PIL import Image

from vitbackbones.data.loading.coco_masks import to_mask
from vitbackbones.errors import InputError
from vitbackbones.importing.masks import PARTS, read_instances
from vitbackbones.importing.source import Source

from .forms import SIZE, picture

HEIGHT, WIDTH = SIZE[::-1]


def two_objects(first=1, second=2):
    """A square at the left, and one in two parts at the right."""
    ids = np.zeros((HEIGHT, WIDTH), np.int32)
    ids[5:15, 5:15] = first
    ids[5:15, 20:25] = ids[20:25, 20:25] = second
    return ids


def folder(root, mask, folder='masks', name='a'):
    """Write a picture and its mask, an image or an array."""
    picture(root / 'images' / f'{name}.jpg')
    (root / folder).mkdir(exist_ok=True)
    if isinstance(mask, Image.Image):
        mask.save(root / folder / f'{name}.png')
    else:
        np.save(root / folder / f'{name}.npy', mask)
    return root


def paletted(ids, border=()):
    image = Image.fromarray(ids.astype(np.uint8), 'L').convert('P')
    image.putdata(ids.ravel().tolist())
    image.putpalette([0, 0, 0, 200, 0, 0, 200, 0, 0] + [9] * 759)  # two ids of one color
    for row, column in border:
        image.putpixel((column, row), 255)
    return image


def colored(ids):
    colors = np.array([[0, 0, 0], [10, 20, 30], [30, 20, 10]], np.uint8)
    return Image.fromarray(colors[ids])


def read(root, form='numbers', names=()):
    source = Source(root, names=names)
    pictures, classes = read_instances(source, form, None)
    return pictures, classes, source


@pytest.mark.parametrize(
    'write',
    [
        lambda: Image.fromarray(two_objects().astype(np.uint8)),
        lambda: Image.fromarray(two_objects(1, 60_000).astype(np.uint16)),  # 16 bit
        lambda: paletted(two_objects()),
        lambda: paletted(two_objects(), border=[(0, 0), (0, 1)]),
        lambda: colored(two_objects()),
        lambda: colored(two_objects()).convert('RGBA'),
        lambda: two_objects(1, 255),
        lambda: two_objects(1, 100_000),
    ],
)
def test_each_number_or_color_is_an_object(tmp_path, write):
    ((found,), classes, source) = read(folder(tmp_path, write()))
    assert classes == ['object']
    first, second = sorted(found.objects, key=lambda each: each['bbox'])
    assert (first['bbox'], first['area']) == ([5, 5, 10, 10], 100)
    assert (second['bbox'], second['area']) == ([20, 5, 5, 20], 75)
    mask = to_mask(second['segmentation'], HEIGHT, WIDTH)
    assert np.array_equal(mask, two_objects() == 2)
    assert source.faults == []
    assert len(source.changes.pop(PARTS)) == 1
    assert not source.changes


def test_the_classes_are_in_the_masks_beside_those_of_objects(tmp_path):
    """As in Pascal VOC; a number that two classes share is two objects, that of none is none."""
    ids = two_objects()
    ids[28:, :5] = 3
    classes = np.where(ids == 1, 1, 0)
    classes[5:15, 20:25] = 2
    classes[20:25, 20:25] = 1
    folder(tmp_path, paletted(ids), 'SegmentationObject')
    folder(tmp_path, Image.fromarray(classes.astype(np.uint8)), 'SegmentationClass')
    (tmp_path / 'classes.txt').write_text('_background_\ncat\ndog\n')
    ((found,), names, source) = read(tmp_path)
    assert names == ['cat', 'dog']
    assert sorted((each['name'], each['area']) for each in found.objects) == [
        ('cat', 25),
        ('cat', 100),
        ('dog', 50),
    ]
    (left_out,) = source.changes.values()
    assert left_out[0].endswith('SegmentationObject/a.png: object 3')


def test_colors_of_classes_are_read_by_their_table(tmp_path):
    folder(tmp_path, colored(two_objects()), 'SegmentationObject')
    folder(tmp_path, colored(np.minimum(two_objects(), 1)), 'SegmentationClass')
    (tmp_path / 'labelmap.txt').write_text('background:0,0,0::\ncat:10,20,30::\n')
    ((found,), names, _) = read(tmp_path)
    assert (names, len(found.objects)) == (['cat'], 2)


@pytest.mark.parametrize('value', [1, 255])
def test_regions_of_a_class_are_objects(tmp_path, value):
    mask = np.where(two_objects(), value, 0).astype(np.uint8)
    ((found,), names, _) = read(folder(tmp_path, Image.fromarray(mask)), 'regions')
    assert names == ['foreground']
    assert sorted(each['area'] for each in found.objects) == [25, 50, 100]
    assert read(tmp_path, 'regions', ['cell'])[1] == ['cell']
    with pytest.raises(InputError, match='has 2 names, but the masks have 1 classes of objects'):
        read(tmp_path, 'regions', ['cell', 'nucleus'])


def test_faults_are_named_by_file(tmp_path):
    folder(tmp_path, np.zeros((HEIGHT, WIDTH), np.uint8), name='empty')
    folder(tmp_path, np.ones((HEIGHT, WIDTH + 1), np.uint8), name='wide')
    folder(tmp_path, np.full((HEIGHT, WIDTH), 0.5), name='soft')
    folder(tmp_path, np.full((HEIGHT, WIDTH), -1), name='void')
    pictures, classes, source = read(tmp_path)
    assert {each.path.stem: len(each.objects) for each in pictures} == {'empty': 0, 'void': 0}
    assert classes == []
    soft, wide = source.faults
    assert 'soft.npy: has values that are not integers' in soft
    assert f'wide.npy: has {WIDTH + 1} x {HEIGHT} pixels, but its image' in wide


def test_a_jpeg_is_refused(tmp_path):
    folder(tmp_path, two_objects())
    picture(tmp_path / 'images' / 'b.png')
    picture(tmp_path / 'masks' / 'b.jpg')
    (fault,) = read(tmp_path)[2].faults
    assert 'b.jpg: is a JPEG file' in fault
