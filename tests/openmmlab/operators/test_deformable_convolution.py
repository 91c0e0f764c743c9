"""Gradients of deformable convolution that the recording of mmcv's answers does not have."""

import pytest
import torch
from mmcv.ops import deform_conv2d

pytestmark = pytest.mark.compat


def test_the_weight_alone_is_trained():
    """The input's gradient, which brings the weight's along otherwise, is not asked for."""
    x, offset = torch.randn(2, 4, 4, 3), torch.randn(2, 18, 4, 3)
    weight = torch.randn(4, 4, 3, 3, requires_grad=True)
    alone = torch.autograd.grad(deform_conv2d(x, offset, weight, 1, 1).square().sum(), weight)
    x.requires_grad_()
    loss = deform_conv2d(x, offset, weight, 1, 1).square().sum()
    torch.testing.assert_close(alone[0], torch.autograd.grad(loss, [x, weight])[1])
