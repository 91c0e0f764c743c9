"""Outlines of objects: which pools have them, and what is spoiled or suggested of them."""

import numpy as np
import pytest
from pycocotools import mask as coco_masks

from vitbackbones.audit import outlines
from vitbackbones.audit.outlines import WAYS, around, spoiled, suggested, with_outlines
from vitbackbones.data.loading.coco_masks import to_code, to_mask
from vitbackbones.data.own.pool import Pool
from vitbackbones.errors import InputError

SIZE = (64, 96)  # height, width
BOX = [10, 12, 24, 20]
TRIANGLE = [10, 12, 34, 12, 34, 32]
OCTAGON = [40, 10, 50, 10, 60, 20, 60, 30, 50, 40, 40, 40, 30, 30, 30, 20]
FAR = [60, 40, 80, 40, 80, 60]


def pool_of(*segmentations, **changes):
    """A pool of one image with a label for each segmentation; ``...`` stands for none."""
    anns = []
    for key, each in enumerate(segmentations):
        ann = {'label_id': key, 'image_id': 0, 'category_id': 0, 'bbox': BOX, 'iscrowd': 0}
        anns.append(ann | ({} if each is ... else {'segmentation': each}) | changes)
    images = [{'id': 0, 'height': SIZE[0], 'width': SIZE[1]}]
    return Pool(None, [], [], ['cat'], {'images': images, 'annotations': anns})


def found(*segmentations, **changes):
    pool = with_outlines(pool_of(*segmentations, **changes))
    return pool.outlined and [ann['segmentation'] for ann in pool.content['annotations']]


def runs_of(mask):
    """The lengths of runs of a mask, uncompressed."""
    flat = np.concatenate([[0], mask.T.ravel(), [0]])
    ends = np.flatnonzero(np.diff(flat))
    return {'size': [*mask.shape], 'counts': np.diff([0, *ends, mask.size]).tolist()}


@pytest.mark.parametrize(
    ('segmentations', 'is_outlined'),
    [
        ([[TRIANGLE], [TRIANGLE]], True),
        ([[TRIANGLE], ..., [], None, [TRIANGLE]], False),
        ([[TRIANGLE], ...], True),
        ([[around(BOX)], [around(BOX)], [TRIANGLE]], False),  # as exporters write boxes
        ([[around([10.5, 12, 23.9, 20.1])]], False),
        ([], False),
    ],
)
def test_a_pool_has_outlines_where_half_of_the_labels_have(segmentations, is_outlined):
    pool = pool_of(*segmentations)
    assert with_outlines(pool).outlined is is_outlined
    assert is_outlined or with_outlines(pool) is pool


def test_crowds_do_not_decide_whether_a_pool_has_outlines():
    assert found([TRIANGLE], iscrowd=1) is False


@pytest.mark.parametrize(
    'unusable',
    [
        *(..., None, [], [[]]),
        [[10, 12, 34, 12]],  # two points
        [[20, 20, 20, 20, 20, 20, 20, 20]],  # without an area
        [[200, 200, 300, 200, 300, 300]],  # outside
        TRIANGLE,  # not in a list of its own
        [[[10, 12], [34, 12], [34, 32]]],  # pairs
        [[10, 12, 34, 12, float('nan'), 32]],
        [['10', '12', '34', '12', '34', '32']],
        {'size': [9, 9], 'counts': [9, 9]},  # of another image
        {'size': [*SIZE], 'counts': [SIZE[0] * SIZE[1]]},  # empty
        {'counts': 'x'},
    ],
)
def test_a_label_without_a_usable_outline_has_its_box_as_one(unusable):
    assert found([TRIANGLE], unusable) == [[TRIANGLE], [around(BOX)]]


def test_a_label_with_neither_outline_nor_box_is_named():
    with pytest.raises(InputError, match='annotation 1: bbox'):
        with_outlines(pool_of([TRIANGLE], [], bbox=None))


def test_what_is_beyond_the_edge_is_cut_off():
    ((polygon,),) = found([[-20, 12, 34, 12, 34, 100]])
    assert polygon == [0, 12, 34, 12, 34, 64]


@pytest.mark.parametrize('is_text', [False, True])
def test_run_lengths_become_polygons_of_the_same_pixels(is_text):
    mask = to_mask([TRIANGLE], *SIZE)
    mask[15:20, 28:31] = False  # a hole
    code = runs_of(mask)
    if is_text:
        code = coco_masks.frPyObjects(code, *SIZE)
        code['counts'] = code['counts'].decode()
    ((polygon,),) = found(code)
    assert (to_mask([polygon], *SIZE) == mask).all()


def test_polygons_of_one_object_share_no_pixel():
    overlapping = [TRIANGLE, [30, 14, 50, 14, 50, 30], FAR]
    (parts,) = found(overlapping)
    drawn = [to_mask([part], *SIZE) for part in parts]
    assert len(parts) == 2
    assert np.sum(drawn, 0).max() == 1
    assert (np.any(drawn, 0) == to_mask(overlapping, *SIZE)).all()


@pytest.mark.parametrize('way', WAYS, ids=lambda way: way.__name__)
def test_each_way_leaves_a_mask_that_differs_well(monkeypatch, way):
    monkeypatch.setattr(outlines, 'WAYS', (way,))
    code = to_code([OCTAGON], *SIZE)
    for seed in range(20):
        other = spoiled(code, np.random.default_rng(seed))
        assert 0.2 < coco_masks.iou([code], [other], [0])[0, 0] < 0.85


def test_a_mask_of_a_pixel_or_none_can_be_spoiled():
    for size in (0, 1):
        mask = np.zeros(SIZE, np.uint8, order='F')
        mask[20 : 20 + size, 30] = 1
        for seed in range(20):
            code = spoiled(coco_masks.encode(mask), np.random.default_rng(seed))
            assert code['size'] == [*SIZE]


def test_a_suggested_outline_is_within_a_pixel_of_the_mask():
    code = to_code([TRIANGLE, FAR], *SIZE)
    parts = suggested(code, BOX)
    assert len(parts) == 2
    assert max(map(len, parts)) <= 20  # not each step of a slanted edge
    again = to_code([*map(list, parts)], *SIZE)
    assert coco_masks.iou([code], [again], [0])[0, 0] > 0.85


@pytest.mark.parametrize('size', [0, 1])
def test_a_mask_without_an_area_is_suggested_as_its_box(size):
    mask = np.zeros(SIZE, np.uint8, order='F')
    mask[20 : 20 + size, 30] = 1
    parts = suggested(coco_masks.encode(mask), BOX)
    assert all(len(part) >= 6 for part in parts)
    assert size or parts == (tuple(around(BOX)),)
