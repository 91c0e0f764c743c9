"""PVT's spatial reduction: in bfloat16, and folded into a linear layer for inference."""

import pytest
import torch

from vitbackbones.backbones.pvt import PatchLinear, SpatialReduction
from vitbackbones.layers import fuse_for_inference


@pytest.mark.parametrize('pack', [False, 'auto'])
@pytest.mark.parametrize('size', [(8, 12), (9, 14), (4, 4), (3, 10), (1, 1)])
def test_the_folded_reduction_is_the_same_map_for_any_grid(size, pack):
    torch.manual_seed(0)
    reduction = SpatialReduction(24, 4).eval()
    fused = fuse_for_inference(reduction, pack=pack)
    assert isinstance(fused.conv, PatchLinear)
    tokens = torch.randn(2, size[0] * size[1], 24)
    torch.testing.assert_close(fused(tokens, size), reduction(tokens, size), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize('size', [(5, 3), (14, 3), (9, 3), (15, 3)])
def test_half_precision_is_right_on_narrow_grids_too(size):
    """oneDNN's convolution on AMX answers otherwise, or with NaN, where a column is left over."""
    torch.manual_seed(0)
    reduction = SpatialReduction(320, 2).eval()
    tokens = torch.randn(1, size[0] * size[1], 320)
    with torch.inference_mode():
        wanted = reduction(tokens, size)
        found = reduction.to(torch.bfloat16)(tokens.to(torch.bfloat16), size).float()
    assert (found - wanted).norm() < 0.02 * wanted.norm()
