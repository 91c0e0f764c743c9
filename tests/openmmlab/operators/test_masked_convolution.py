"""A masked convolution is a convolution at the places of the mask, and 0 elsewhere."""

import pytest
import torch
from mmcv.ops import MaskedConv2d

pytestmark = pytest.mark.compat


@pytest.mark.parametrize('share', [0, 0.4])
def test_a_masked_convolution_is_one_at_some_places(share):
    layer = MaskedConv2d(3, 4, (3, 5), padding=(1, 2))
    image, mask = torch.randn(1, 3, 6, 7), (torch.rand(1, 6, 7) < share).float()
    with torch.no_grad():
        torch.testing.assert_close(layer(image, mask), layer(image) * mask)
