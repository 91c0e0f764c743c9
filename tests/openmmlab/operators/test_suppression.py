"""Suppression against its definition, box by box."""

import pytest
import torch
from mmcv.ops import batched_nms, nms, nms_match, soft_nms

pytestmark = pytest.mark.compat


def some_boxes(number, integers=False):
    corner, size = torch.rand(number, 2) * 50, torch.rand(number, 2) * 30
    boxes = torch.cat([corner, corner + size], dim=1)
    return boxes.round() if integers else boxes


def overlap(a, b, offset):
    width = min(a[2], b[2]) - max(a[0], b[0]) + offset
    height = min(a[3], b[3]) - max(a[1], b[1]) + offset
    both = max(width, 0) * max(height, 0)
    areas = [(box[2] - box[0] + offset) * (box[3] - box[1] + offset) for box in (a, b)]
    return both / (sum(areas) - both)


def kept(boxes, scores, threshold, offset):
    """The definition of suppression."""
    boxes, chosen = boxes.tolist(), []
    for i in scores.argsort(descending=True).tolist():
        if all(overlap(boxes[i], boxes[j], offset) <= threshold for j in chosen):
            chosen.append(i)
    return chosen


@pytest.mark.parametrize('offset', [0, 1])
@pytest.mark.parametrize('integers', [False, True])
def test_a_box_that_overlaps_a_better_one_is_dropped(offset, integers):
    boxes, scores = some_boxes(60, integers), torch.rand(60)
    dets, indices = nms(boxes, scores, 0.4, offset=offset)
    assert indices.tolist() == kept(boxes, scores, 0.4, offset)
    assert torch.equal(dets, torch.cat([boxes, scores[:, None]], dim=1)[indices])
    assert 5 < len(indices) < 60


def test_an_overlap_of_just_the_threshold_stays():
    boxes = torch.tensor([[0.0, 0, 10, 10], [0, 0, 7, 10]])  # 0.7, which float32 rounds down
    assert nms(boxes, torch.tensor([1.0, 0.5]), 0.7)[1].tolist() == [0, 1]
    assert nms(boxes, torch.tensor([1.0, 0.5]), 0.69)[1].tolist() == [0]


def test_groups_hold_a_box_and_those_that_it_drops():
    boxes, scores = some_boxes(40), torch.rand(40)
    groups = nms_match(torch.cat([boxes, scores[:, None]], dim=1), 0.4)
    assert [int(group[0]) for group in groups] == kept(boxes, scores, 0.4, offset=0)
    assert sorted(torch.cat(groups).tolist()) == list(range(40))
    for first, *others in (group.tolist() for group in groups):
        overlaps = [overlap(boxes[first].tolist(), boxes[i].tolist(), 0) for i in others]
        assert all(value >= 0.4 for value in overlaps)
        assert all(scores[first] >= scores[i] for i in others)


def test_boxes_of_different_classes_do_not_meet():
    boxes = some_boxes(1).repeat(4, 1)
    scores, classes = torch.tensor([0.1, 0.4, 0.3, 0.2]), torch.tensor([0, 0, 1, 1])
    _, indices = batched_nms(boxes, scores, classes, {'type': 'nms', 'iou_threshold': 0.5})
    assert indices.tolist() == [1, 2]


@pytest.mark.parametrize('suppress', [nms, soft_nms])
@pytest.mark.parametrize('dtype', [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_every_floating_type_is_taken(suppress, dtype):
    boxes, scores = some_boxes(30, integers=True), torch.arange(30.0) / 32
    expected = suppress(boxes, scores, iou_threshold=0.4)[1]
    dets, indices = suppress(boxes.to(dtype), scores.to(dtype), iou_threshold=0.4)
    assert torch.equal(indices, expected)
    assert dets.dtype == dtype


@pytest.mark.parametrize('suppress', [nms, soft_nms])
def test_no_boxes_leave_no_boxes(suppress):
    dets, indices = suppress(torch.zeros(0, 4), torch.zeros(0), iou_threshold=0.4)
    assert dets.shape == (0, 5)
    assert indices.shape == (0,)
