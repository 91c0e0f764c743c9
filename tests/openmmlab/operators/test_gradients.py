"""Gradients in float64 against differences; those of the focal loss: ``test_focal_loss.py``."""

import pytest
import torch
from mmcv.ops import (
    deform_conv2d,
    modulated_deform_conv2d,
    roi_align,
)
from mmcv.ops.multi_scale_deform_attn import MultiScaleDeformableAttnFunction

from vitbackbones.openmmlab.operators import deformable_attention

pytestmark = pytest.mark.compat
ROIS = torch.tensor([[0, 1.3, 2.1, 17.2, 19.7], [1, 0, 3.3, 9.1, 11.9]], dtype=torch.float64)
SHAPES = torch.tensor([[3, 4], [2, 2]])
STARTS = torch.tensor([0, 12])


def normal(*shape):
    return torch.randn(*shape, dtype=torch.float64)


def distinct(*shape):
    """Return values that are no ties within the step of the differences."""
    number = torch.Size(shape).numel()
    return torch.randperm(number).to(torch.float64).view(shape) / 10


def attention(value, locations, weights):
    arguments = (value, SHAPES, STARTS, locations, weights, 1)
    return MultiScaleDeformableAttnFunction.apply(*arguments)


# operator: function and inputs
CASES = {
    'roi_align': (
        lambda x: torch.stack(
            [
                roi_align(x, ROIS, 2, 0.25, ratio, mode, aligned)
                for ratio in (0, 2)
                for mode in ('avg', 'max')
                for aligned in (True, False)
            ]
        ),
        lambda: [distinct(2, 2, 5, 6)],
    ),
    'deform_conv': (
        lambda *x: deform_conv2d(*x, 1, 1, 1, 2, 2),
        lambda: [normal(2, 4, 4, 3), normal(2, 36, 4, 3), normal(4, 2, 3, 3)],
    ),
    'modulated_deform_conv': (
        lambda *x: modulated_deform_conv2d(*x, 2, 1, 1, 1, 1),
        lambda: [
            normal(1, 2, 5, 5),
            normal(1, 18, 3, 3),
            normal(1, 9, 3, 3),
            normal(3, 2, 3, 3),
            normal(3),
        ],
    ),
    'ms_deform_attn': (
        attention,
        lambda: [
            normal(2, 16, 2, 3),
            torch.rand(2, 3, 2, 2, 2, 2, dtype=torch.float64) * 1.3 - 0.15,
            normal(2, 3, 2, 2, 2),
        ],
    ),
}


@pytest.mark.parametrize('name', CASES)
def test_gradients_are_those_of_differences(name, monkeypatch):
    monkeypatch.setattr(deformable_attention, 'CHUNK', 64)  # more than one
    function, inputs = CASES[name]
    inputs = [each.requires_grad_() for each in inputs()]
    # the kernels add up in the order of threads
    assert torch.autograd.gradcheck(function, inputs, nondet_tol=1e-10)


def test_the_weight_of_a_deformable_convolution_alone_is_trained():
    """The input's gradient, which brings the weight's along otherwise, is not asked for."""
    x, offset, weight = normal(2, 4, 4, 3), normal(2, 18, 4, 3), normal(4, 4, 3, 3)
    grads = []
    for alone in (True, False):
        x.requires_grad_(not alone)
        loss = deform_conv2d(x, offset, weight.requires_grad_(), 1, 1).square().sum()
        grads += torch.autograd.grad(loss, weight)
    torch.testing.assert_close(*grads)
