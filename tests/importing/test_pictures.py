"""Objects that are brought inside of their picture."""

import json
import math
import os

import numpy as np
import pytest

from vitbackbones.errors import InputError
from vitbackbones.importing.pictures import (
    Picture,
    add_mask,
    add_object,
    add_shapes,
    corners_of,
    names_of,
    open_picture,
    place,
    relative_links,
    write_coco,
)
from vitbackbones.importing.source import Source

from .forms import SIZE, picture

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


@pytest.mark.parametrize(
    ('angle', 'corners'),
    [
        (0, [6, 8, 14, 8, 14, 12, 6, 12]),
        (math.pi / 2, [12, 6, 12, 14, 8, 14, 8, 6]),
        (math.pi, [14, 12, 6, 12, 6, 8, 14, 8]),
    ],
)
def test_corners_of_a_turned_box(angle, corners):
    assert corners_of(10, 10, 8, 4, angle) == pytest.approx(corners)


def test_a_corner_between_the_axes():
    corners = corners_of(0, 0, 8, 4, math.pi / 6)
    assert corners[4:6] == pytest.approx([4 * 3**0.5 / 2 - 1, 2 + 2 * 3**0.5 / 2])


@pytest.fixture
def opened(tmp_path):
    """A source and its picture."""
    file = picture(tmp_path / '0.png')
    return Source(tmp_path), Picture(file, *SIZE, None, [])


@pytest.mark.parametrize(
    ('points', 'is_far'),
    [
        ((-3, 0, 10, 10), False),  # a twentieth of the picture, and a pixel
        ((-3.1, 0, 10, 10), True),
        ((0, -2.5, 10, 10), False),
        ((0, -2.6, 10, 10), True),
        ((0, 0, 43, 32.5), False),
        ((0, 0, 43.1, 10), True),
        ((0, 0, 10, 32.6), True),
        ((0, 0, float('nan'), 9), True),
    ],
)
def test_a_coordinate_far_outside_is_of_another_scale(opened, points, is_far):
    source, own = opened
    if not is_far:
        add_object(source, own, 'cat', points, '0.txt')
        assert len(own.objects) == source.taken == 1
        return
    with pytest.raises(InputError, match='0.txt: the coordinate .* is far outside'):
        add_object(source, own, 'cat', points, '0.txt')


def test_what_is_known_of_an_object(opened):
    source, own = opened
    add_object(source, own, 'dog', (1, 2, 5, 8), '0.txt', crowd=True)
    add_object(source, own, 'cat', (1, 2, 5, 2, 5, 8), '0.txt')
    box, outline = own.objects
    about = {'name': 'dog', 'bbox': [1, 2, 4, 6], 'area': 24, 'iscrowd': 1}
    assert box == about | {'segmentation': []}
    assert (outline['area'], outline['iscrowd']) == (12, 0)
    assert outline['segmentation'] == [[1, 2, 5, 2, 5, 8]]
    assert names_of([own]) == ['cat', 'dog']
    assert source.taken == 2


def test_boxes_of_a_pixel_are_taken(opened):
    source, own = opened
    for points in ((1, 1, 2, 9), (1, 1, 1.9, 9), (40, 5, 41, 9), (5, 29.5, 9, 31)):
        add_object(source, own, 'cat', points, '0.txt')
    assert [entry['bbox'] for entry in own.objects] == [[1, 1, 1, 8]]
    assert source.left_out == 3


def test_masks_are_taken_by_their_pixels(opened):
    source, own = opened
    mask = np.zeros(SIZE[::-1], bool)
    add_mask(source, own, 'cat', mask, '0.png')
    assert (own.objects, source.left_out) == ([], 1)
    mask[3:6, 7:9] = True
    add_mask(source, own, 'cat', mask, '0.png')
    (entry,) = own.objects
    assert (entry['bbox'], entry['area'], entry['iscrowd']) == ([7, 3, 2, 3], 6, 0)


def test_shapes_of_a_group_are_joined(opened):
    source, own = opened
    shapes = [(1, (5, 5, 9, 9)), (2, (0, 0, 5, 5)), (1, (1, 6, 8, 12)), (None, (0, 0, 5, 6))]
    shapes += [(1, (50, 50, 50, 50)), (1, (2, 20, 30, 25, 2, 25))]

    def add(source, own, shape, where):
        if shape[1][0] == 50:
            source.leave_out('odd', where)
            return
        add_object(source, own, 'cat', shape[1], where)

    add_shapes(source, own, 'a.json', shapes, add, lambda shape: shape[0])
    joined, second, alone = own.objects
    assert joined['bbox'] == [1, 5, 29, 20]
    assert joined['area'] == 16 + 42 + 70
    assert joined['segmentation'] == [
        [1, 5, 9, 5, 9, 12, 1, 12],  # the box around both boxes
        [2, 20, 30, 25, 2, 25],
    ]
    assert (second['bbox'], alone['bbox']) == ([0, 0, 5, 5], [0, 0, 5, 6])
    assert (source.taken, source.left_out) == (3, 3)
    ((_, odd), (_, parts)) = sorted(source.changes.items())
    assert odd == ['a.json: shape 5']
    assert parts == ['a.json: shape 3', 'a.json: shape 6']


@pytest.mark.parametrize(
    ('width', 'height', 'fits'),
    [
        (40, 30, True),
        ('40', '30.0', True),
        (None, '', True),
        (0, 30, True),
        (40, 29, False),
        (30, 40, False),
    ],
)
def test_the_size_in_a_file_of_annotations(opened, width, height, fits):
    _, own = opened
    if fits:
        own.require_size('a.xml', width, height)
        return
    with pytest.raises(InputError, match=f'a.xml: .*{width} x {height} .* 40 x 30'):
        own.require_size('a.xml', width, height)


def test_the_split_is_that_of_the_picture_or_else_of_its_annotation(tmp_path):
    first, second = picture(tmp_path / 'val' / '0.png'), picture(tmp_path / 'x' / '1.png')
    source = Source(tmp_path)
    assert open_picture(source, first, tmp_path / 'train' / '0.xml').split == 'val'
    assert open_picture(source, second, tmp_path / 'train' / '0.xml').split == 'train'
    assert open_picture(source, second).split is None
    assert (open_picture(source, second).width, open_picture(source, second).height) == SIZE


def test_links_are_relative_where_both_may_be_moved_together(tmp_path):
    file = picture(tmp_path / 'data' / 'in' / '0.png')
    out, final = tmp_path / 'partial' / 'images', tmp_path / 'data' / 'out' / 'images'
    place(file, out / 'a' / '0.png', copy=False)
    place(file, out / 'b.png', copy=True)
    assert (out / 'a' / '0.png').is_symlink()
    assert not (out / 'b.png').is_symlink()
    assert (out / 'b.png').read_bytes() == file.read_bytes()
    relative_links(out.parent, final.parent)
    assert os.readlink(out / 'a' / '0.png') == '../../../in/0.png'
