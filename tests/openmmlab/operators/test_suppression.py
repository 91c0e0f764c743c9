"""Suppression where the recording of mmcv's answers does not reach: other types, and no boxes."""

import pytest
import torch
from mmcv.ops import nms, soft_nms

pytestmark = pytest.mark.compat


def test_an_overlap_of_just_the_threshold_stays():
    boxes = torch.tensor([[0.0, 0, 10, 10], [0, 0, 7, 10]])  # 0.7, which float32 rounds down
    assert nms(boxes, torch.tensor([1.0, 0.5]), 0.7)[1].tolist() == [0, 1]
    assert nms(boxes, torch.tensor([1.0, 0.5]), 0.69)[1].tolist() == [0]


@pytest.mark.parametrize('suppress', [nms, soft_nms])
@pytest.mark.parametrize('dtype', [torch.float64, torch.float16, torch.bfloat16])
def test_every_floating_type_is_taken(suppress, dtype):
    corner, size = torch.rand(30, 2) * 50, torch.rand(30, 2) * 30
    boxes, scores = torch.cat([corner, corner + size], dim=1).round(), torch.arange(30.0) / 32
    expected = suppress(boxes, scores, iou_threshold=0.4)[1]
    dets, indices = suppress(boxes.to(dtype), scores.to(dtype), iou_threshold=0.4)
    assert torch.equal(indices, expected)
    assert dets.dtype == dtype


@pytest.mark.parametrize('suppress', [nms, soft_nms])
def test_no_boxes_leave_no_boxes(suppress):
    dets, indices = suppress(torch.zeros(0, 4), torch.zeros(0), iou_threshold=0.4)
    assert dets.shape == (0, 5)
    assert indices.shape == (0,)
