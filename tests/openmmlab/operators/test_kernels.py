"""Suppression and regions where the recording of mmcv's answers does not reach."""

import pytest
import torch
from mmcv.ops import RoIAlign, nms, roi_align

pytestmark = pytest.mark.compat


def test_an_overlap_of_just_the_threshold_stays_and_no_boxes_leave_none():
    boxes = torch.tensor([[0.0, 0, 10, 10], [0, 0, 7, 10]])  # 0.7, which float32 rounds down
    assert nms(boxes, torch.tensor([1.0, 0.5]), 0.7)[1].tolist() == [0, 1]
    assert nms(boxes, torch.tensor([1.0, 0.5]), 0.69)[1].tolist() == [0]


@pytest.mark.parametrize('dtype', [torch.float64, torch.bfloat16])
def test_boxes_of_every_floating_type_are_taken(dtype):
    corner, size = torch.rand(30, 2) * 50, torch.rand(30, 2) * 30
    boxes, scores = torch.cat([corner, corner + size], dim=1).round(), torch.arange(30.0) / 32
    expected = nms(boxes, scores, iou_threshold=0.4)[1]
    dets, indices = nms(boxes.to(dtype), scores.to(dtype), iou_threshold=0.4)
    assert torch.equal(indices, expected)
    assert dets.dtype == dtype
    dets, indices = nms(torch.zeros(0, 4), torch.zeros(0), iou_threshold=0.4)
    assert dets.shape == (0, 5)
    assert indices.shape == (0,)


def some_rois(number=6):
    corner, side = torch.rand(number, 2) * 40 - 5, torch.rand(number, 2) * 30
    image = torch.randint(0, 2, (number, 1))
    return torch.cat([image, corner, corner + side], dim=1)


@pytest.mark.parametrize('dtype', [torch.bfloat16, torch.float64])
def test_maps_of_every_floating_type_are_taken(dtype):
    maps, rois = torch.randn(2, 3, 9, 12), some_rois().round()
    expected = roi_align(maps, rois, 2, 0.25, 0, 'avg', True)
    maps = maps.to(dtype).transpose(2, 3).contiguous().transpose(2, 3).requires_grad_()
    found = roi_align(maps, rois.to(dtype), 2, 0.25, 0, 'avg', True)
    assert found.dtype == dtype
    torch.testing.assert_close(found.float(), expected, atol=0.03, rtol=0.01)
    found.sum().backward()
    assert maps.grad.dtype == dtype


@pytest.mark.parametrize('images', [0, 2])
def test_no_regions_give_no_features(images):
    maps = torch.randn(images, 3, 9, 12, requires_grad=True)
    found = RoIAlign(2)(maps, torch.zeros(0, 5))
    assert found.shape == (0, 3, 2, 2)
    found.sum().backward()
    assert maps.grad.eq(0).all()


def test_regions_out_of_the_batch_are_named():
    maps, rois = torch.randn(2, 3, 9, 12), some_rois()
    rois[0, 0] = 2
    with pytest.raises(ValueError, match='RoIs refer to images 0 to 2, but the batch has 2'):
        RoIAlign(2)(maps, rois)
    rois[0] = float('nan')
    with pytest.raises(ValueError, match='RoIs contain NaN'):
        RoIAlign(2)(maps, rois)


def test_the_maximum_needs_the_extension():
    with pytest.raises(ImportError, match='requires the compiled mmcv extension'):
        RoIAlign(2, pool_mode='max')(torch.randn(2, 3, 9, 12), some_rois())
