"""Pooling against its definition, and regions that a kernel could not read."""

import math

import pytest
import torch
from mmcv.ops import RoIAlign, RoIPool, roi_align, roi_pool

from vitbackbones.openmmlab.operators import regions

pytestmark = pytest.mark.compat
LAYERS = [RoIAlign(2), RoIAlign(2, pool_mode='max'), RoIPool(2)]


def some_rois(number=6):
    corner, side = torch.rand(number, 2) * 40 - 5, torch.rand(number, 2) * 30
    image = torch.randint(0, 2, (number, 1))
    return torch.cat([image, corner, corner + side], dim=1)


def pooled(maps, roi, size, scale):
    """The largest pixel of each bin, (C, h, w); no pixel gives 0."""
    image, x1, y1, x2, y2 = roi.tolist()
    (height, width), maps = size, maps[int(image)]
    top, left = y1 * scale, x1 * scale
    tall, wide = (y2 + 1) * scale - top, (x2 + 1) * scale - left
    found = maps.new_zeros(len(maps), *size)
    for i in range(height):
        for j in range(width):
            rows, columns = pixels(top, tall / height, i), pixels(left, wide / width, j)
            part = maps[:, rows, columns]
            if part.numel():
                found[:, i, j] = part.amax((1, 2))
    return found


def pixels(start, step, i):
    """The pixels that a bin touches along one side; a slice may end beyond the map."""
    first, end = math.floor(start + i * step), math.ceil(start + (i + 1) * step)
    return slice(max(first, 0), max(end, 0))


def test_pooling_takes_the_largest_pixel_of_each_bin():
    maps, rois = torch.randn(2, 3, 9, 12), some_rois()
    found = roi_pool(maps, rois, (2, 3), 0.25)
    expected = torch.stack([pooled(maps, roi, (2, 3), 0.25) for roi in rois])
    torch.testing.assert_close(found, expected)
    assert found.eq(0).any()  # a bin beyond the border


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
