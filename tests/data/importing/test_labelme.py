"""Files of labelme."""

import json
import math

import pytest

from vitbackbones.data.importing.labelme import read_labelme
from vitbackbones.data.importing.source import Source

from .forms import SIZE, picture


def shape(label, kind, *points, **more):
    return {'label': label, 'shape_type': kind, 'points': [[*p] for p in points], **more}


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
    assert not source.faults
    assert 'shapes of the type line, which are no objects' in source.changes
    assert 'pictures without a JSON file, left out' in source.changes


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


@pytest.mark.parametrize(
    ('shapes', 'changes', 'message'),
    [
        ([], {'imageWidth': 80}, 'is of a picture of 80 x 30 pixels'),
        ([], {'shapes': None}, 'has no list of shapes'),
        ([{'label': 'cat', 'points': [[1, 2], [3]]}], {}, 'shape 1: has no label, or no points'),
        ([shape('', 'rectangle', (1, 1), (9, 9))], {}, 'shape 1: has no label'),
        ([7], {}, 'shape 1: has no label'),
        ([shape('cat', 'rectangle', (1, 1), (900, 9))], {}, 'far outside of the picture'),
    ],
)
def test_a_file_that_cannot_be_used_is_named(read, shapes, changes, message):
    source, objects, _ = read(*shapes, **changes)
    assert objects is None
    (fault,) = source.faults
    assert message in fault
