"""Files of labelme."""

import json
import math
from base64 import b64encode
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from vitbackbones.data.loading.coco_masks import to_mask
from vitbackbones.importing.labelme import read_labelme
from vitbackbones.importing.source import Source
from vitbackbones.utils.files import BEGINNING

from .forms import SIZE, picture


def shape(label, kind, *points, **more):
    return {'label': label, 'shape_type': kind, 'points': [[*p] for p in points], **more}


def mask_shape(label, corner, pixels, **more):
    """A shape of the type mask: a PNG in base64 at its first corner."""
    png = BytesIO()
    Image.fromarray(pixels).save(png, 'PNG')
    height, width = pixels.shape
    corners = corner, (corner[0] + width - 1, corner[1] + height - 1)
    return shape(label, 'mask', *corners, mask=b64encode(png.getvalue()).decode(), **more)


@pytest.fixture
def read(tmp_path):
    """``read(*shapes, **changes)`` returns the source, the objects and the classes of one file."""

    def make(*shapes, **changes):
        picture(tmp_path / 'a.png')
        picture(tmp_path / 'bare.png')
        about = {'shapes': [*shapes], 'imageWidth': SIZE[0], 'imageHeight': SIZE[1]}
        (tmp_path / 'a.json').write_text(json.dumps(about | changes))
        source = Source(tmp_path)
        pictures, classes = read_labelme(source)
        return source, pictures[0].objects if pictures else None, classes

    return make


def test_rectangles_polygons_and_circles_are_objects(read):
    source, objects, classes = read(
        shape('dog', 'rectangle', (20, 15), (5, 3)),
        shape('cat', 'polygon', (1, 1), (9, 1), (9, 9)),
        shape('cat', 'circle', (20, 15), (20, 10)),
        shape('cat', 'line', (1, 1), (9, 9)),
    )
    box, outline, circle = objects
    assert classes == ['cat', 'dog']
    assert (box['bbox'], box['segmentation']) == ([5, 3, 15, 12], [])
    assert (outline['bbox'], outline['segmentation']) == ([1, 1, 8, 8], [[1, 1, 9, 1, 9, 9]])
    assert circle['bbox'] == pytest.approx([15, 10, 10, 10])
    assert circle['area'] == pytest.approx(25 * math.pi, rel=0.01)
    assert circle['segmentation'][0][:2] == [25, 15]
    assert circle['segmentation'][0][3] > 15
    assert not source.faults
    assert 'shapes of type line, which are not objects' in source.changes
    assert 'images without a JSON file, left out' in source.changes


def test_what_the_tool_itself_ignores_is_left_out(read):
    corners = (5, 3), (20, 15)
    source, objects, classes = read(*(shape(x, 'rectangle', *corners) for x in ('a', '__ignore__')))
    assert (len(objects), classes) == (1, ['a'])
    assert any('shapes labeled __ignore__' in line for line in source.changes)


def test_every_shape_is_an_object_or_named(read):
    box = ('rectangle', (1, 1), (9, 9))
    kinds = (['rectangle'], {'a': 1}, 7, 'point', 'linestrip')
    source, objects, _ = read(
        shape('cat', *box), shape('cat', *box), *(shape('cat', kind, (1, 1)) for kind in kinds)
    )
    assert (len(objects), source.taken, source.left_out) == (1, 1, 6)
    assert sum(len(places) for what, places in source.changes.items() if 'type' in what) == 5


def test_shapes_of_one_group_are_one_object(read):
    part = ('polygon', (1, 1), (9, 1), (9, 9))
    other = ('polygon', (20, 20), (30, 20), (30, 24))
    _, objects, _ = read(
        shape('cat', *part, group_id=1),
        shape('cat', *other, group_id=1),
        shape('dog', *other, group_id=1),
        shape('cat', *part, group_id=None),
    )
    joined, dog, alone = objects
    assert joined['segmentation'] == [[1, 1, 9, 1, 9, 9], [20, 20, 30, 20, 30, 24]]
    assert (joined['bbox'], joined['area']) == ([1, 1, 29, 23], 32 + 20)
    assert (dog['name'], alone['bbox']) == ('dog', [1, 1, 8, 8])


def test_masks_are_outlines_of_their_pixels(read):
    pixels = np.zeros((10, 12), bool)
    pixels[1:9, 2:11] = True
    pixels[4:6, 5:8] = False
    source, objects, _ = read(
        mask_shape('cell', (5, 3), pixels),
        mask_shape('cell', (33, 25), np.full((10, 12), 255, np.uint8)),
        mask_shape('cell', (5, 3), pixels & False),
        mask_shape('cell', (0, 0), np.ones((SIZE[1] + 1, SIZE[0] + 1), bool)),
    )
    whole, at_edge, all_of_it = objects
    wanted = np.zeros((SIZE[1], SIZE[0]), bool)
    wanted[3:13, 5:17] = pixels
    assert (to_mask(whole['segmentation'], *SIZE[::-1]) == wanted).all()
    assert (whole['bbox'], whole['area']) == ([7, 4, 9, 8], 66)
    assert at_edge['bbox'] == [33, 25, 7, 5]
    assert all_of_it['bbox'] == [0, 0, *SIZE]
    assert source.left_out == 1
    assert not source.faults


def test_a_group_of_a_box_and_a_mask_has_the_outlines_of_both(read):
    pixels = np.ones((4, 4), bool)
    _, (joined,), _ = read(
        shape('cat', 'rectangle', (20, 20), (30, 24), group_id=1),
        mask_shape('cat', (1, 1), pixels, group_id=1),
    )
    assert (joined['bbox'], joined['area']) == ([1, 1, 29, 23], 40 + 16)
    mask = to_mask(joined['segmentation'], *SIZE[::-1])
    assert (mask.sum(), mask[20:24, 20:30].all(), mask[1:5, 1:5].all()) == (56, True, True)


def test_turned_boxes_are_outlines(read):
    corners = ((5, 5), (15, 10), (12, 16), (2, 11))
    _, objects, _ = read(
        shape('a', 'rotation', *corners), shape('b', 'oriented_rectangle', *corners)
    )
    assert [entry['bbox'] for entry in objects] == [[2, 5, 13, 11]] * 2
    assert all(len(entry['segmentation'][0]) == 8 for entry in objects)


@pytest.mark.parametrize(
    'path', ['..\\images\\a b.png', '../images/a b.png', 'C:\\me\\images\\a b.png', 'a b.png']
)
def test_the_path_in_a_file_is_followed_and_other_json_is_left_out(tmp_path, path):
    picture(tmp_path / 'images' / 'a b.png')
    (tmp_path / 'json').mkdir()
    content = {'shapes': [shape('cat', 'rectangle', (1, 1), (9, 9))], 'imagePath': path}
    (tmp_path / 'json' / '0.json').write_text(json.dumps(content))
    (tmp_path / 'package.json').write_text('{"name": "x"}')
    (tmp_path / 'images' / '_annotations.coco.json').write_text('{"images": []}')
    source = Source(tmp_path)
    (only,), _ = read_labelme(source)
    assert (len(only.objects), source.faults) == (1, [])
    assert len(source.changes['files with other content, left out']) == 2


def test_a_large_image_in_a_file_with_sorted_keys(tmp_path):
    picture(tmp_path / 'images' / 'a.png')
    (tmp_path / 'json').mkdir()
    content = {'imageData': 'A' * 2 * BEGINNING, 'imagePath': '../images/a.png'}
    content |= {'shapes': [shape('cat', 'rectangle', (1, 1), (9, 9))]}
    (tmp_path / 'json' / '0.json').write_text(json.dumps(content, sort_keys=True))
    (only,), _ = read_labelme(Source(tmp_path))
    assert len(only.objects) == 1


@pytest.mark.parametrize(
    ('shapes', 'changes', 'message'),
    [
        ([], {'imageWidth': 80}, 'describes an image of 80 x 30 pixels'),
        ([], {'shapes': None}, 'has no list of shapes'),
        ([{'label': 'cat', 'points': [[1, 2], [3]]}], {}, 'shape 1: has no label, or no points'),
        (
            [shape('cat', 'polygon', (1, 1), (9, 9))],
            {},
            'polygon with 2 points but requires 3',
        ),
        ([shape('cat', 'circle', (1, 1))], {}, 'is a circle with 1 points but requires 2'),
        ([shape('cat', 'mask', (1, 1), (9, 9))], {}, 'its mask is not a base64 image'),
        ([shape('cat', 'mask', (1, 1), (9, 9), mask='AAAA')], {}, 'its mask is not a base64'),
        ([shape('cat', 'mask', (1, 1), (9, 9), mask=7)], {}, 'its mask is not a base64'),
        ([mask_shape('c', (1, 1), np.ones((99, 9), bool))], {}, 'its mask is not inside'),
        ([mask_shape('c', (0, 0), np.ones((32, 9), bool))], {}, 'its mask is not inside'),
        ([mask_shape('c', (0, 0), np.ones((9, 42), bool))], {}, 'its mask is not inside'),
        ([mask_shape('c', (1, 31), np.ones((9, 9), bool))], {}, 'its mask is not inside'),
        ([mask_shape('c', (41, 1), np.ones((9, 9), bool))], {}, 'its mask is not inside'),
        ([mask_shape('c', (-5, 1), np.ones((9, 9), bool))], {}, 'its mask is not inside'),
        ([], {'imageHeight': [30]}, 'gives [30]'),
        ([], {'imageHeight': 10**400}, 'gives 1000'),
        ([shape('', 'rectangle', (1, 1), (9, 9))], {}, 'shape 1: has no label'),
        ([7], {}, 'shape 1: has no label'),
        ([shape('cat', 'rectangle', (1, 1), (900, 9))], {}, 'far outside the image'),
    ],
)
def test_a_file_that_cannot_be_used_is_named(read, shapes, changes, message):
    source, objects, _ = read(*shapes, **changes)
    assert objects is None
    (fault,) = source.faults
    assert message in fault
