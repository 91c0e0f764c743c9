"""Soft-NMS and groups of boxes, compared with mmcv's loops."""

import numpy as np
import pytest
import torch
from mmcv.ops import nms_match, soft_nms

pytestmark = pytest.mark.compat


def some_boxes(number):
    corner = torch.randint(0, 8, (number, 2)).float()
    boxes = torch.cat([corner, corner + torch.randint(1, 8, (number, 2))], dim=1)
    return boxes, torch.randint(1, 6, (number,)) / 5  # many scores are equal


def overlap(one, other, offset=0):
    sides = [min(one[i + 2], other[i + 2]) - max(one[i], other[i]) + offset for i in (0, 1)]
    inter = max(0.0, sides[0]) * max(0.0, sides[1])
    areas = [(b[2] - b[0] + offset) * (b[3] - b[1] + offset) for b in (one, other)]
    return inter / (areas[0] + areas[1] - inter)


def as_published(boxes, scores, threshold, sigma, min_score, method, offset):
    """The loops of softnms_cpu, in float32."""
    rows = [[*box, score, index] for index, (box, score) in enumerate(zip(boxes, scores))]  # noqa: B905
    i = 0
    while i < len(rows):
        best = max(range(i, len(rows)), key=lambda place: (rows[place][4], -place))
        rows[i], rows[best] = rows[best], rows[i]
        place = i + 1
        while place < len(rows):
            iou = overlap(rows[i], rows[place], offset)
            weight = 1.0
            if method == 'gaussian':
                weight = np.exp(-(iou * iou) / sigma)
            elif iou >= threshold:
                weight = 1 - iou if method == 'linear' else 0.0
            rows[place][4] *= weight
            if rows[place][4] < min_score:
                last = rows.pop()
                if place < len(rows):
                    rows[place] = last
            else:
                place += 1
        i += 1
    return rows


@pytest.mark.parametrize('method', ['naive', 'linear', 'gaussian'])
@pytest.mark.parametrize('offset', [0, 1])
def test_soft_suppression_has_the_scores_and_the_order_of_mmcv(method, offset):
    for seed in range(5):
        torch.manual_seed(seed)
        boxes, scores = some_boxes(40)
        dets, indices = soft_nms(boxes, scores, 0.3, 0.5, 0.05, method, offset)
        rows = as_published(boxes.numpy(), scores.numpy(), 0.3, 0.5, 0.05, method, offset)
        assert indices.tolist() == [row[5] for row in rows]
        torch.testing.assert_close(
            dets, torch.tensor([[float(x) for x in row[:5]] for row in rows])
        )


def test_groups_are_a_box_and_those_that_it_suppresses():
    boxes, scores = some_boxes(30)
    scores = torch.rand(30)
    groups = [group.tolist() for group in nms_match(torch.cat([boxes, scores[:, None]], 1), 0.4)]
    left = scores.sort(descending=True)[1].tolist()
    for best, *others in groups:
        assert best == left.pop(0)
        near = [i for i in left if overlap(boxes[best].tolist(), boxes[i].tolist()) >= 0.4]
        assert others == near
        left = [i for i in left if i not in near]
    assert not left
    assert nms_match(torch.zeros(0, 5), 0.4) == []
