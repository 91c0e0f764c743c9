"""Annotations in COCO's form as other forms can hold them: checked, cut, counted."""

import json

import numpy as np
import pytest

from vitbackbones.errors import InputError
from vitbackbones.importing.coco import read_coco
from vitbackbones.importing.source import Source
from vitbackbones.runtime.run_lengths import to_rle

from .forms import picture

BOX, OUTLINE = [30, 20, 40, 40], [30, 20, 70, 20, 70, 60, 30, 60]
MASK = np.zeros((120, 160), bool)
MASK[20:60, 30:70] = True
RLE = to_rle(MASK)
OUTSIDE, EDGE, SHORT = (
    'objects outside their',
    'objects that extend beyond',
    'outlines with fewer than 3',
)


def write(root, *changes, images=()):
    """Write a picture for each annotation, which is a good one with some changes."""
    content = {'images': [], 'annotations': [], 'categories': [{'id': 1, 'name': 'cell'}]}
    for i, change in enumerate(changes, 1):
        picture(root / f'{i}.png', (160, 120))
        image = {'id': i, 'file_name': f'{i}.png', 'width': 160, 'height': 120}
        good = {'id': i, 'image_id': i, 'category_id': 1, 'bbox': BOX, 'area': 9, 'iscrowd': 0}
        content['images'].append(image)
        content['annotations'].append(good | change)
    content['images'] += images
    (root / 'result.json').write_text(json.dumps(content))
    return Source(root)


def read(root, *changes):
    """The objects that are read, the notes and the faults."""
    source = write(root, *changes)
    pictures, _ = read_coco(source)
    found = [entry for each in pictures for entry in each.objects]
    assert source.taken == len(found)
    assert source.taken + source.left_out == len(changes)
    return found, source.changes, source.faults


@pytest.mark.parametrize(
    ('change', 'message'),
    [
        ({'bbox': None}, 'bbox is None; it must be four numbers'),
        ({'bbox': [1, 2, 3]}, 'bbox is [1, 2, 3]; it must be'),
        ({'bbox': [1, 2, float('nan'), 4]}, 'bbox is [1, 2, nan, 4]; it must'),
        ({'bbox': [1, 2, 'x', 4]}, "bbox is [1, 2, 'x', 4]; it must"),
        ({'bbox': [1, 2, 'nan', 4]}, 'bbox is [1.0, 2.0, nan, 4.0]; it must'),
        ({'iscrowd': 'no'}, "iscrowd is 'no'; it must be 0 or 1"),
        ({'iscrowd': 2}, 'iscrowd is 2; it must be 0 or 1'),
        (
            {'segmentation': OUTLINE},
            'cannot be used: it is [30, 20, 70, 20, 70, 60, 30, 60] and no',
        ),
        ({'segmentation': 'mask'}, "cannot be used: it is 'mask' and not"),
        ({'segmentation': 7}, 'cannot be used: it is 7 and not'),
        ({'segmentation': [OUTLINE[:7]]}, 'a polygon has an odd number of coordinates'),
        ({'segmentation': [['a'] * 6]}, 'and not polygons'),
        ({'segmentation': [[float('nan')] * 6]}, 'a corner is not a finite number'),
        ({'segmentation': [[1e9] * 6]}, 'a million pixels away'),
        (
            {'segmentation': RLE | {'size': [160, 120]}},
            "its 'size' is [160, 120], but the size of the image is",
        ),
        (
            {'segmentation': RLE | {'counts': [5]}},
            'its runs add up to 5, but the image has 19200 pixels',
        ),
        ({'segmentation': {}}, "its 'size' is None"),
    ],
)
def test_what_cannot_be_meant_is_named_by_its_annotation(tmp_path, change, message):
    found, changes, (fault,) = read(tmp_path, {}, change)
    assert fault.startswith(f'{tmp_path}/result.json: annotation 2: ')
    assert message in fault
    assert len(found) == 1
    assert not changes


@pytest.mark.parametrize(
    ('change', 'notes', 'kept'),
    [
        ({}, [], (BOX, [])),
        ({'segmentation': None}, [], (BOX, [])),
        ({'segmentation': [OUTLINE]}, [], (BOX, [OUTLINE])),
        ({'segmentation': RLE}, [], (BOX, RLE)),
        ({'bbox': [-20, -10, 60, 50]}, [EDGE], ([0, 0, 40, 40], [])),
        ({'bbox': [150, 20, 40, 40]}, [EDGE], ([150, 20, 10, 40], [])),
        ({'bbox': [300, 300, 20, 20]}, [OUTSIDE], None),
        ({'bbox': [50, 50, -20, 20]}, [OUTSIDE], None),
        ({'bbox': [10, 10, 0, 12]}, [OUTSIDE], None),
        ({'bbox': [0.1, 0.1, 0.4, 0.4]}, [OUTSIDE], None),  # parts of the width
        ({'segmentation': [[80, 60]]}, [SHORT], (BOX, [])),
        ({'segmentation': [[80, 60], OUTLINE]}, [SHORT], (BOX, [OUTLINE])),
        ({'segmentation': [[200, 200, 210, 200, 210, 210]]}, [SHORT], (BOX, [])),
        ({'segmentation': [[5] * 6]}, [SHORT], (BOX, [])),
        ({'segmentation': to_rle(MASK & False)}, [SHORT], (BOX, [])),
        (
            {'segmentation': [[30, 20, 170, 20, 170, 60, 30, 60]], 'bbox': [30, 20, 140, 40]},
            [EDGE],
            ([30, 20, 130, 40], [[30, 20, 160, 20, 160, 60, 30, 60]]),
        ),
    ],
)
def test_what_can_be_cut_or_left_out_is_counted(tmp_path, change, notes, kept):
    found, changes, faults = read(tmp_path, {}, change)
    assert faults == []
    assert [name[: len(note)] for name, note in zip(changes, notes, strict=True)] == notes
    assert all(places == [f'{tmp_path}/result.json: annotation 2'] for places in changes.values())
    assert [(entry['bbox'], entry['segmentation']) for entry in found[1:]] == [kept] * bool(kept)


def test_boxes_in_parts_of_the_width_are_named_as_such(tmp_path):
    with pytest.raises(InputError, match=r'all 2 boxes are outside .* not fractions of the image'):
        read_coco(write(tmp_path, *[{'bbox': [0.1, 0.2, 0.3, 0.3]}] * 2))


def test_a_picture_under_two_ids_keeps_the_objects_of_both(tmp_path):
    image = {'id': 9, 'file_name': '1.png', 'width': 160, 'height': 120}
    source = write(tmp_path, {}, {'image_id': 9}, images=[image])
    pictures, _ = read_coco(source)
    assert [len(each.objects) for each in pictures] == [2, 0]
    assert [*source.changes] == ['images listed under several ids, merged']


def test_a_picture_for_two_splits_is_refused(tmp_path):
    write(tmp_path, {}, {})
    (tmp_path / 'result.json').rename(tmp_path / 'train.json')
    (tmp_path / 'val.json').write_bytes((tmp_path / 'train.json').read_bytes())
    source = Source(tmp_path)
    read_coco(source)
    assert len(source.faults) == 2
    assert 'is listed for train and for val. Remove it from one' in source.faults[0]


def test_annotations_of_pictures_that_are_not_listed_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"the image_id of 1 annotation \(ids 2\): '2'"):
        read_coco(write(tmp_path, {}, {'image_id': '2'}))
