"""Masks of PSANet are sorted as its authors' kernel does."""

import pytest
import torch
from mmcv.ops import PSAMask

pytestmark = pytest.mark.compat
HEIGHT, WIDTH = 3, 4


def as_published(weights, collects, mask_size):
    """The loops of the CUDA kernel."""
    number = len(weights)
    output = torch.zeros(number, HEIGHT * WIDTH, HEIGHT, WIDTH)
    half = [(side - 1) // 2 for side in mask_size]
    for h in range(HEIGHT):
        for w in range(WIDTH):
            for row in range(max(0, half[0] - h), min(mask_size[0], HEIGHT + half[0] - h)):
                for column in range(max(0, half[1] - w), min(mask_size[1], WIDTH + half[1] - w)):
                    y, x = row + h - half[0], column + w - half[1]
                    value = weights[:, row * mask_size[1] + column, h, w]
                    if collects:
                        output[:, y * WIDTH + x, h, w] = value
                    else:
                        output[:, h * WIDTH + w, y, x] = value
    return output


@pytest.mark.parametrize('kind', ['collect', 'distribute'])
@pytest.mark.parametrize('mask_size', [(5, 7), (3, 3), (9, 9)])
def test_masks_and_gradients_are_those_of_the_kernel(kind, mask_size):
    weights = torch.randn(2, mask_size[0] * mask_size[1], HEIGHT, WIDTH, requires_grad=True)
    expected = as_published(weights, kind == 'collect', mask_size)
    found = PSAMask(kind, mask_size)(weights)
    assert torch.equal(found, expected)
    factors = torch.randn_like(found)
    gradients = [torch.autograd.grad((x * factors).sum(), weights)[0] for x in (expected, found)]
    assert torch.equal(*gradients)
