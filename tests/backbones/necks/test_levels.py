"""Levels brings maps to strides and widths, and nothing else."""

import torch
import torch.nn.functional as F

from tests.backbones.necks.maps import maps
from vitbackbones.backbones.necks import Levels

CHANNELS, STRIDES = [8, 16, 24, 32], [4, 8, 16, 32]


def test_maps_of_all_strides_stay_as_they_are_without_a_width():
    neck, x = Levels(CHANNELS, STRIDES, out_channels=None), maps(CHANNELS, STRIDES, 70, 45)
    assert all(ours is given for ours, given in zip(neck(x), x, strict=True))
    assert list(neck.parameters()) == []
    assert neck.resample.channels == CHANNELS


def test_missing_levels_are_pooled_from_the_next_finer_map_or_enlarged_from_the_finest():
    neck = Levels([16, 24], [8, 32], [4, 8, 16, 32, 64], out_channels=None)
    x = maps([16, 24], [8, 32], 70, 45)
    finest, own, pooled, other, last = neck(x)
    assert finest.shape[1:] == (8, 18, 12)
    assert own is x[0]
    torch.testing.assert_close(pooled, F.max_pool2d(x[0], 2, ceil_mode=True))
    assert other is x[1]
    torch.testing.assert_close(last, F.max_pool2d(x[1], 2, ceil_mode=True))
    assert neck.resample.channels == [8, 16, 16, 24, 24]


def test_maps_of_one_stride_serve_the_levels_in_order():
    neck, x = Levels([16] * 3, [8] * 3, [8, 16, 32], None), maps([16] * 3, [8] * 3, 64, 64)
    for level, (given, cell) in zip(neck(x), zip(x, (1, 2, 4), strict=True), strict=True):
        torch.testing.assert_close(level, F.max_pool2d(given, cell))


def test_a_level_is_projected_and_normalized():
    neck, (x,) = Levels([16], [8], [8], 12), maps([16], [8], 64, 64)
    conv, norm = neck.projections[0]
    y = torch.einsum('oc,nchw->nhwo', conv.weight[..., 0, 0], x)
    y = F.layer_norm(y, (12,), norm.weight, norm.bias, 1e-6).permute(0, 3, 1, 2)
    torch.testing.assert_close(neck((x,))[0], y)


def test_further_levels_are_every_second_position():
    neck, x = Levels([16], [8], [8], 12, num_outs=3), maps([16], [8], 70, 45)
    first, *further = neck(x)
    for i, level in enumerate(further, 1):
        assert torch.equal(level, first[..., :: 2**i, :: 2**i])
