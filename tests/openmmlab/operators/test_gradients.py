"""Gradients that the recording of mmcv's answers does not have."""

import pytest
import torch
from mmcv.ops import deform_conv2d
from mmcv.ops.multi_scale_deform_attn import MultiScaleDeformableAttnFunction

from vitbackbones.openmmlab.operators import deformable_attention

pytestmark = pytest.mark.compat


def normal(*shape):
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


def test_gradients_of_attention_in_chunks_are_those_of_differences(monkeypatch):
    monkeypatch.setattr(deformable_attention, 'CHUNK', 64)  # more than one
    shapes, starts = torch.tensor([[3, 4], [2, 2]]), torch.tensor([0, 12])
    locations = torch.rand(2, 3, 2, 2, 2, 2, dtype=torch.float64) * 1.3 - 0.15  # some outside
    inputs = [normal(2, 16, 2, 3), locations.requires_grad_(), normal(2, 3, 2, 2, 2)]

    def attend(value, locations, weights):
        arguments = (value, shapes, starts, locations, weights, 1)
        return MultiScaleDeformableAttnFunction.apply(*arguments)

    # the kernels add up in the order of threads
    assert torch.autograd.gradcheck(attend, inputs, nondet_tol=1e-10)


def test_the_weight_of_a_deformable_convolution_alone_is_trained():
    """The input's gradient, which brings the weight's along otherwise, is not asked for."""
    x, offset, weight = normal(2, 4, 4, 3), normal(2, 18, 4, 3), normal(4, 4, 3, 3)
    grads = []
    for alone in (True, False):
        x.requires_grad_(not alone)
        offset.requires_grad_(not alone)
        loss = deform_conv2d(x, offset, weight, 1, 1).square().sum()
        loss.backward()
        grads.append(weight.grad)
        weight.grad = None
    torch.testing.assert_close(*grads)
