"""CARAFE is the sum that its authors' kernel computes."""

import pytest
import torch
from mmcv.ops import carafe
from torch.nn.functional import unfold

pytestmark = pytest.mark.compat
KERNEL, GROUPS, SCALE = 3, 2, 2


def as_published(features, masks):
    """The loops of the CUDA kernel, over the taps of each pixel at once."""
    number, channels, height, width = features.shape
    seen = unfold(features, KERNEL, padding=KERNEL // 2)
    seen = seen.view(number, channels, KERNEL**2, height, width)
    output = torch.zeros(number, channels, SCALE * height, SCALE * width)
    for c in range(channels):
        group = c // (channels // GROUPS)
        for y in range(SCALE * height):
            for x in range(SCALE * width):
                taps = masks[:, group * KERNEL**2 : (group + 1) * KERNEL**2, y, x]
                output[:, c, y, x] = (seen[:, c, :, y // SCALE, x // SCALE] * taps).sum(1)
    return output


def test_values_and_gradients_are_those_of_the_kernel():
    features = torch.randn(2, 4, 3, 5, requires_grad=True)
    masks = torch.randn(2, GROUPS * KERNEL**2, 6, 10, requires_grad=True)
    weights = torch.randn(2, 4, 6, 10)
    answers = []
    for function in (as_published, lambda x, m: carafe(x, m, KERNEL, GROUPS, SCALE)):
        output = function(features, masks)
        gradients = torch.autograd.grad((output * weights).sum(), (features, masks))
        answers.append([output, *gradients])
    for expected, found in zip(*answers, strict=True):
        torch.testing.assert_close(found, expected)


def test_half_precision_is_summed_in_single():
    features, masks = torch.randn(1, 4, 3, 5), torch.randn(1, GROUPS * KERNEL**2, 6, 10)
    halves = features.bfloat16(), masks.bfloat16()
    expected = carafe(*(each.float() for each in halves), KERNEL, GROUPS, SCALE)
    found = carafe(*halves, KERNEL, GROUPS, SCALE)
    assert found.dtype == torch.bfloat16
    assert torch.equal(found, expected.bfloat16())
