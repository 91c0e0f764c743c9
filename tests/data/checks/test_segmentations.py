"""Masks of a COCO file: what mmdet and pycocotools would stop at, or leave out without a word."""

from array import array
from contextlib import suppress

import numpy as np
import pytest

from vitbackbones.data.checks.segmentations import (
    FARTHEST,
    Usable,
    check_masks,
    outlines,
    require_masks,
    usable_segmentation,
)
from vitbackbones.data.loading.coco_masks import to_mask
from vitbackbones.errors import InputError
from vitbackbones.runtime.run_lengths import to_rle

from .coco_data import Data

NAN = float('nan')
RECTANGLE = [5, 5, 40, 5, 40, 30, 5, 30]  # the box of annotation 2


@pytest.fixture
def data(tmp_path):
    """Two images of 40 x 30, and three annotations with masks."""
    data = Data(tmp_path)
    mask = np.zeros((30, 40), bool)
    mask[:9, :9] = True
    square = [0, 0, 0, 9, 9, 9, 9, 0]
    for annotation, segmentation in zip(
        data.content['annotations'], [[square], [RECTANGLE], to_rle(mask)], strict=True
    ):
        annotation.update(segmentation=segmentation, iscrowd=0)
    return data


def test_polygons_and_rle_are_good(data):
    assert data.check(masks=True) == data.check(masks=True, evaluated=True) == []
    crowd = {'size': [30, 40], 'counts': [0, 300, 900]}  # uncompressed, as in COCO
    data.content['annotations'][2].update(iscrowd=1, segmentation=crowd, bbox=[0, 0, 10, 30])
    small = {'bbox': [10.4, 10.4, 1.1, 1.1], 'area': 1, 'segmentation': [[10, 10, 12, 10, 12, 12]]}
    data.content['annotations'][1].update(small)  # boxes of small objects may be rounded
    assert data.check(masks=True, evaluated=True) == []


def test_boxes_alone_are_refused_where_masks_are_wanted(data):
    for annotation in data.content['annotations']:
        del annotation['segmentation']
    assert data.check() == []
    error = data.error(masks=True)
    assert error.startswith(f'{data.ann_file}: has only boxes: no annotation has a "segmentation"')
    assert 'or use a config without masks, such as quick_detector' in error


@pytest.mark.parametrize('nothing', [None, []])
def test_some_annotations_without_a_mask(data, nothing):
    data.content['annotations'][1]['segmentation'] = nothing
    error = data.error(masks=True)
    assert '1 of 3 annotations have no "segmentation" (ids 2), but the model requires' in error
    assert 'Give each polygons [[x, y, x, y, ...], ...] or RLE' in error
    with pytest.raises(InputError, match=r'no "segmentation" \(ids 2\)'):  # for a metric
        require_masks(str(data.ann_file))


def test_what_mmdet_drops_needs_no_mask_in_training(data):
    data.content['annotations'][1].update(bbox=[5, 5, 0, 25], segmentation=[])
    assert len(data.check(masks=True)) == 1  # the flat box
    assert 'no "segmentation" (ids 2)' in data.error(masks=True, evaluated=True)
    data.content['annotations'][1].update(bbox=[5, 5, 35, 25], ignore=1)
    assert data.check(masks=True) == []


@pytest.mark.parametrize(
    ('segmentation', 'fault'),
    [
        (RECTANGLE, 'and not polygons'),  # the list around it was forgotten
        ([[1, 2, '3', 4, 5, 6]], "it is [[1, 2, '3', 4, 5, 6]] and not polygons"),
        ([[1, 2, float('nan'), 4, 5, 6]], 'a corner is not a finite number'),
        ([RECTANGLE, [1, 2, FARTHEST * 1.1, 4, 5, 6]], 'or is a million pixels away'),
        ([[1, 2, 10**400, 4, 5, 6]], 'or is a million pixels away'),
        (
            {'size': [40, 30], 'counts': [1200]},
            "its 'size' is [40, 30], but the size of the image is [30, 40]",
        ),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_c_code_must_not_read(data, segmentation, fault):
    data.content['annotations'][1]['segmentation'] = segmentation
    error = data.error(masks=True)
    start = f'{data.ann_file}: annotation 2: the segmentation cannot be used: '
    assert error.startswith(start)
    assert fault in error
    assert error.endswith('Correct it, or remove the annotation.')
    data.content['annotations'][0]['segmentation'] = segmentation
    assert '(2 have this problem: ids 1, 2)' in data.error(masks=True, evaluated=True)


def test_outlines_of_many_masks_are_those_of_each_alone():
    rle = {'size': [30, 40], 'counts': [1200]}
    inner = [2.5, 7, 9, 3, 4, 4]
    masks = [None, [], [RECTANGLE, inner], rle, [[1, 2]], 'x', [RECTANGLE], [inner, [NAN] * 6]]
    found = outlines(masks)
    alone = [outlines([mask]) for mask in masks]
    assert found['segmentation'] == [each['segmentation'][0] for each in alone]
    np.testing.assert_array_equal(found['bounds'], np.concatenate([e['bounds'] for e in alone]))
    assert found['segmentation'][:5] == [None, None, 8, {**rle, 'counts': array('q', [1200])}, 2]
    assert found['segmentation'][5].startswith("it is 'x' and not polygons")
    assert found['segmentation'][6] == 8
    assert found['segmentation'][7].startswith('a corner is not a finite number')
    nothing = [0, 0, 0, 0]
    outer = [5, 5, 40, 30]
    both = [2.5, 3, 40, 30]
    expected = [nothing, nothing, both, nothing, nothing, nothing, outer, nothing]
    assert found['bounds'].tolist() == expected


def test_pycocotools_reads_whatever_run_lengths_pass():
    random = np.random.default_rng(0)
    images, box, read = {'id': [1], 'width': [31], 'height': [23]}, [0, 0, 31, 23], np.ones(1, bool)
    passed = 0
    for _ in range(200):
        code = to_rle(random.random((23, 31)) > random.random())
        text = list(code['counts'])
        for _ in range(random.integers(0, 3)):
            text[random.integers(len(text))] = chr(random.integers(40, 120))
        code['counts'] = ''.join(text)
        annotations = {'id': [1], 'image_id': [1], 'bbox': np.array([box]), **outlines([code])}
        with suppress(InputError):
            check_masks('a.json', images, annotations, read, evaluated=True)
            assert to_mask(code, 23, 31).shape == (23, 31)
            passed += 1
    assert 50 < passed < 150


def test_polygons_that_coco_evaluation_stops_at(data):
    data.content['annotations'][1]['segmentation'] = [[1, 2, 3, 4], RECTANGLE]
    assert data.check(masks=True) == []
    error = data.error(masks=True, evaluated=True)
    assert 'fewer than 3 points, and COCO evaluation stops there' in error


def test_not_one_usable_mask(data):
    for annotation in data.content['annotations']:
        annotation['segmentation'] = [[50, 5, 60, 5, 60, 15]]
    assert 'no usable mask: all 3 have fewer than three points, or no pixel' in data.error(
        masks=True
    )


OUTSIDE = 'masks of fewer than three points, or without a pixel in their image'


@pytest.mark.parametrize(
    ('segmentation', 'warning'),
    [
        ([[1, 2, 3, 4]], OUTSIDE),  # mmdet leaves it out
        ([[-9, 5, -1, 5, -1, 15]], OUTSIDE),
        (
            [[5, 5, 5, 10, 15, 10, 15, 5]],
            'masks that are not where their boxes are (both are in pixels)',
        ),
    ],
    ids=str,
)
def test_what_is_only_suspicious(data, segmentation, warning):
    data.content['annotations'][1]['segmentation'] = segmentation
    assert data.check(masks=True) == [f'{data.ann_file}: {warning}: 1 (annotation ids 2)']


def whole(width, height):
    """The picture of 40 x 30 from its corner, as a polygon."""
    return [0, 0, width, 0, width, height, 0, height]


@pytest.mark.parametrize(
    ('polygon', 'box', 'doubt'),
    [
        ([5, 5, 40, 5, 40, 30, 5, 30], [5, 5, 35, 25], ''),
        ([0, 0, 8, 0, 8, 8, 0, 8], [0, 0, 3, 8], 'half'),  # IoU of 5/10 with a pixel around it
        ([0, 0, 8, 0, 8, 8, 0, 8], [0, 0, 2.9, 8], 'apart'),
        ([40, 5, 50, 5, 50, 15], [30, 5, 10, 10], 'outside'),  # from the very edge
        ([39, 5, 50, 5, 50, 15], [39, 5, 1, 10], ''),
        ([5, 30, 15, 30, 15, 40], [5, 20, 10, 10], 'outside'),
        ([5, -10, 15, -10, 15, 0], [5, 0, 10, 10], 'outside'),
        ([-10, 5, 0, 5, 0, 15], [0, 5, 10, 10], 'outside'),
    ],
)
def test_bounds_are_compared_inside_of_the_picture(polygon, box, doubt):
    images = {'id': [1], 'width': [40], 'height': [30]}
    good = {'bbox': [0, 0, 8, 8], 'mask': [[0, 0, 8, 0, 8, 8, 0, 8]]}
    annotations = {
        **{'id': [1, 2], 'image_id': [1, 1], 'bbox': np.array([good['bbox'], box])},
        **outlines([good['mask'], [polygon]]),
    }
    warnings = check_masks('a.json', images, annotations, np.ones(2, bool), evaluated=True)
    expected = {'outside': 'without a pixel', 'apart': 'not where their boxes are'}.get(doubt)
    assert len(warnings) == (expected is not None)
    assert all(expected in warning and 'ids 2' in warning for warning in warnings)


def test_only_masks_that_are_read_are_checked():
    images = {'id': [1], 'width': [40], 'height': [30]}
    annotations = {'id': [1, 2], 'image_id': [1, 1], 'bbox': np.array([[0, 0, 8, 8]] * 2)}
    annotations |= outlines([[[0, 0, 8, 0, 8, 8, 0, 8]], None])
    assert check_masks('a.json', images, annotations, np.array([True, False]), False) == []


SQUARE, OVER = [1, 1, 9, 1, 9, 9, 1, 9], [30, 5, 50, 5, 50, 15]
CUT = [30, 5, 40, 5, 40, 15]
LINE, TWO_POINTS = [1, 1, 5, 5, 9, 9], [1, 1, 5, 5]


@pytest.mark.parametrize(
    ('mask', 'usable'),
    [
        (None, Usable([])),
        ([], Usable([])),
        ([SQUARE], Usable([SQUARE])),
        ([[1, 1, 9, 1, 9, 9]], Usable([[1, 1, 9, 1, 9, 9]])),
        ([[1, 1, 2, 1, 2, 2]], Usable([[1, 1, 2, 1, 2, 2]])),  # half a pixel
        ([whole(40, 30)], Usable([whole(40, 30)])),
        ([whole(41, 31)], Usable([whole(40, 30)], cut=True)),
        ([SQUARE, OVER], Usable([SQUARE, CUT], cut=True)),
        ([SQUARE, LINE], Usable([SQUARE], dropped=True)),
        ([TWO_POINTS, OVER], Usable([CUT], dropped=True, cut=True)),
        ([[50, 5, 60, 5, 60, 15], SQUARE], Usable([SQUARE], dropped=True)),  # none of it is inside
        ([TWO_POINTS], Usable([], dropped=True)),
    ],
)
def test_what_can_be_used_of_polygons(mask, usable):
    assert usable_segmentation(mask, 30, 40) == usable


def test_what_can_be_used_of_run_lengths():
    some, none = ({'size': [30, 40], 'counts': runs} for runs in ([0, 300, 900], [1200]))
    assert usable_segmentation(some, 30, 40) == Usable(some)
    assert usable_segmentation(none, 30, 40) == Usable([], dropped=True)
    assert usable_segmentation({**none, 'counts': [600, 0, 600]}, 30, 40) == Usable([], True)


@pytest.mark.parametrize(
    'mask',
    [SQUARE, [[1, 1, 9, 1, 9]], [[1, 1, '9', 1, 9, 9]], [[FARTHEST * 2, 1, 9, 1, 9, 9]], 'x'],
)
def test_what_cannot_be_used(mask):
    with pytest.raises(ValueError, match='.'):
        usable_segmentation(mask, 30, 40)


def test_corners_as_far_as_that_are_read():
    assert usable_segmentation([[FARTHEST, 1, 9, 1, 9, 9]], 30, 40).cut
    assert usable_segmentation([[-FARTHEST, 1, 9, 1, 9, 9]], 30, 40).cut


def test_polygons_without_bounds_are_outside(data):
    data.content['annotations'][1]['segmentation'] = [[1, 2, 3, 4, 5]]
    (warning,) = data.check(masks=True, evaluated=True)
    assert OUTSIDE in warning
