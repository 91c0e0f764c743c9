"""A masked convolution is the convolution at the places of its mask."""

import pytest
import torch
from mmcv.ops import MaskedConv2d

pytestmark = pytest.mark.compat


@pytest.mark.parametrize('places', [0, 1, 9])
def test_it_is_the_convolution_where_the_mask_is(places):
    layer = MaskedConv2d(3, 5, (3, 5), padding=(1, 2)).eval()
    image = torch.randn(1, 3, 6, 7)
    mask = torch.zeros(1, 6, 7)
    mask.view(-1)[torch.randperm(42)[:places]] = 1
    with torch.no_grad():
        whole = torch.nn.functional.conv2d(image, layer.weight, layer.bias, padding=(1, 2))
        torch.testing.assert_close(layer(image, mask), whole * mask)
