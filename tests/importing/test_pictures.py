"""Objects that are brought inside of their picture."""

import json
import os

import pytest

from vitbackbones.errors import InputError
from vitbackbones.importing.pictures import add_object, open_picture, write_coco
from vitbackbones.importing.source import Source

from .forms import picture

CUT = 'objects that extend beyond the edge of their image, cut at the edge'
LOST = 'objects outside their image or thinner than a pixel, left out'
EXCHANGED = 'boxes with corners in another order, reordered'


@pytest.mark.parametrize(
    ('points', 'box', 'change'),
    [
        ((1, 2, 40, 30), [1, 2, 39, 28], None),
        ((29, 0, 11, 10), [11, 0, 18, 10], EXCHANGED),
        ((30, 20, 42, 31), [30, 20, 10, 10], CUT),
        ((5, 5, 5.9, 30), None, LOST),
        ((-1, 0, 10, 0, 10, 5), [0, 0, 10, 5], CUT),
        ((0, 0, 5, 5, 10, 10), None, LOST),
    ],
)
def test_objects_are_brought_inside_and_what_is_changed_is_noted(tmp_path, points, box, change):
    file = picture(tmp_path / '0.png')
    source = Source(tmp_path)
    opened = open_picture(source, file)
    add_object(source, opened, 'cat', points, '0.txt, line 1')
    assert [entry['bbox'] for entry in opened.objects] == ([box] if box else [])
    assert source.changes.get(change, ['0.txt, line 1']) == ['0.txt, line 1']
    assert {*source.changes} - {CUT} == {change} - {CUT, None}
    add_object(source, opened, 'cat', points, '0.txt, line 2')
    assert len(opened.objects) == bool(box)
    assert source.changes.get('duplicate objects, kept once', []) == (
        ['0.txt, line 2'] if box else []
    )


def test_a_picture_that_is_cut_short_is_refused(tmp_path):
    file = picture(tmp_path / '0.jpg')
    source = Source(tmp_path)
    file.write_bytes(file.read_bytes()[:-300])
    with pytest.raises(InputError, match=r'/0\.jpg: truncated, the JPEG data stops'):
        open_picture(source, file)


def test_a_pipe_is_not_waited_for(tmp_path):
    picture(tmp_path / 'a.png')
    os.mkfifo(tmp_path / 'b.png')
    with pytest.raises(InputError, match='b.png: not a regular file. Replace it with a good copy'):
        open_picture(Source(tmp_path), tmp_path / 'b.png')


def test_pictures_without_a_split_beside_others_are_for_training(tmp_path):
    root, out = tmp_path / 'in', tmp_path / 'out'
    for name in ('x/0.png', 'x/val/0.png', 'x/val/1.png'):
        picture(root / name)
    source = Source(root)
    pictures = [open_picture(source, file) for file in source.pictures]
    add_object(source, pictures[2], 'dog', (0, 0, 10, 20), 'line 1')
    write_coco(out, pictures, ['cat', 'dog'], copy=False)
    files = {file.stem: json.loads(file.read_text()) for file in (out / 'annotations').iterdir()}
    assert {*files} == {'instances_train', 'instances_val'}
    expected = {'id': 2, 'file_name': 'val/1.png', 'width': 40, 'height': 30}
    assert files['instances_val']['images'][1] == expected
    (entry,) = files['instances_val']['annotations']
    assert (entry['id'], entry['image_id'], entry['category_id'], entry['area']) == (1, 2, 2, 200)
    assert (out / 'images' / '0.png').resolve() == root / 'x' / '0.png'
