"""Features of regions where the recording of mmcv's answers does not reach."""

import pytest
import torch
from mmcv.ops import RoIAlign, roi_align

from vitbackbones.openmmlab.operators import regions

pytestmark = pytest.mark.compat
LAYERS = [RoIAlign(2), RoIAlign(2, pool_mode='max')]


def some_rois(number=6):
    corner, side = torch.rand(number, 2) * 40 - 5, torch.rand(number, 2) * 30
    image = torch.randint(0, 2, (number, 1))
    return torch.cat([image, corner, corner + side], dim=1)


@pytest.mark.parametrize('dtype', [torch.bfloat16, torch.float64])
@pytest.mark.parametrize('pool_mode', ['avg', 'max'])
def test_every_floating_type_is_taken(dtype, pool_mode):
    maps, rois = torch.randn(2, 3, 9, 12), some_rois().round()
    expected = roi_align(maps, rois, 2, 0.25, 0, pool_mode, True)
    maps = maps.to(dtype).transpose(2, 3).contiguous().transpose(2, 3).requires_grad_()
    found = roi_align(maps, rois.to(dtype), 2, 0.25, 0, pool_mode, True)
    assert found.dtype == dtype
    torch.testing.assert_close(found.float(), expected, atol=0.03, rtol=0.01)
    found.sum().backward()
    assert maps.grad.dtype == dtype


@pytest.mark.parametrize('layer', LAYERS)
@pytest.mark.parametrize('images', [0, 2])
def test_no_regions_give_no_features(layer, images):
    maps = torch.randn(images, 3, 9, 12, requires_grad=True)
    found = layer(maps, torch.zeros(0, 5))
    assert found.shape == (0, 3, 2, 2)
    found.sum().backward()
    assert maps.grad.eq(0).all()


@pytest.mark.parametrize('layer', LAYERS)
def test_regions_out_of_the_batch_are_named(layer):
    maps, rois = torch.randn(2, 3, 9, 12), some_rois()
    rois[0, 0] = 2
    with pytest.raises(ValueError, match='RoIs name images 0 to 2 of a batch of 2'):
        layer(maps, rois)
    rois[0] = float('nan')
    with pytest.raises(ValueError, match='RoIs hold NaN'):
        layer(maps, rois)


def test_many_regions_are_taken_in_parts(monkeypatch):
    maps, rois = torch.randn(2, 3, 9, 12), some_rois()
    whole = roi_align(maps, rois, 2, 0.25, 2, 'max', True)
    monkeypatch.setattr(regions, 'CHUNK', 1)
    assert torch.equal(roi_align(maps, rois, 2, 0.25, 2, 'max', True), whole)
