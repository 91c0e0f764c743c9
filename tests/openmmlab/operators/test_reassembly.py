"""Upsampling against its definition, pixel by pixel, in both of mmcv's forms."""

import pytest
import torch
from mmcv.ops.carafe import carafe, carafe_naive

pytestmark = pytest.mark.compat


@pytest.mark.parametrize('function', [carafe, carafe_naive])
def test_a_pixel_is_a_weighted_sum_of_those_around_its_place(function):
    features, masks = torch.randn(2, 4, 3, 5), torch.randn(2, 18, 6, 10)
    found = function(features, masks, 3, 2, 2)
    padded = torch.nn.functional.pad(features, (1, 1, 1, 1))
    for n, c, y, x in torch.ones_like(found).nonzero().tolist():
        around = padded[n, c, y // 2 : y // 2 + 3, x // 2 : x // 2 + 3].flatten()
        weights = masks[n, c // 2 * 9 : c // 2 * 9 + 9, y, x]
        assert found[n, c, y, x].item() == pytest.approx((around @ weights).item(), abs=1e-5)
