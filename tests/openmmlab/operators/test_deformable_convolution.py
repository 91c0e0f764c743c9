"""Gradients of deformable convolution that the recording of mmcv's answers does not have."""

import pytest
import torch
from mmcv.ops import deform_conv2d, modulated_deform_conv2d

pytestmark = pytest.mark.compat


def test_the_weight_alone_is_trained():
    """The input's gradient, which brings the weight's along otherwise, is not asked for."""
    x, offset = torch.randn(2, 4, 4, 3), torch.randn(2, 18, 4, 3)
    weight = torch.randn(4, 4, 3, 3, requires_grad=True)
    alone = torch.autograd.grad(deform_conv2d(x, offset, weight, 1, 1).square().sum(), weight)
    x.requires_grad_()
    loss = deform_conv2d(x, offset, weight, 1, 1).square().sum()
    torch.testing.assert_close(alone[0], torch.autograd.grad(loss, [x, weight])[1])


def sample(image, y, x):
    """The bilinear value of an image (H, W), with zeros around it."""
    height, width = image.shape
    value = torch.zeros(())
    for row in (y.floor(), y.floor() + 1):
        for column in (x.floor(), x.floor() + 1):
            if 0 <= row < height and 0 <= column < width:
                near = (1 - (y - row).abs()) * (1 - (x - column).abs())
                value = value + near * image[int(row), int(column)]
    return value


def as_published(image, weight, offset, mask):
    """The loops of the CUDA kernel for one image (1, H, W), with padding 1 and 3 x 3 taps."""
    _, height, width = image.shape
    offset, mask = offset.flatten(), mask.flatten()  # memory, whatever its shape
    output = torch.zeros(height, width)
    for tap in range(9):
        row, column = divmod(tap, 3)
        for h in range(height):
            for w in range(width):
                y = h - 1 + row + offset[(2 * tap * height + h) * width + w]
                x = w - 1 + column + offset[((2 * tap + 1) * height + h) * width + w]
                factor = mask[(tap * height + h) * width + w]
                output[h, w] += weight[0, 0, row, column] * factor * sample(image[0], y, x)
    return output


def test_offsets_that_are_larger_than_the_output_are_read_as_mmcv_does():
    """DyHead's are, and its published weights expect it."""
    image, weight = torch.randn(2, 1, 3, 4), torch.randn(1, 1, 3, 3)
    maps = torch.rand(2, 27, 6, 7, requires_grad=True)
    offset, mask = maps[:, :18], maps[:, 18:]
    found = modulated_deform_conv2d(image, offset, mask, weight, None, 1, 1)
    expected = torch.stack(
        [as_published(image[i], weight, offset[i], mask[i])[None] for i in range(2)]
    )
    torch.testing.assert_close(found, expected)
    gradients = [torch.autograd.grad(x.square().sum(), maps)[0] for x in (found, expected)]
    torch.testing.assert_close(*gradients)
