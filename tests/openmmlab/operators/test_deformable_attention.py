"""Gradients of the attention in chunks, and what a compiler sees of it."""

from importlib import import_module

import pytest
import torch

from vitbackbones.openmmlab.operators import deformable_attention

pytestmark = pytest.mark.compat
of_mmcv = import_module('mmcv.ops.multi_scale_deform_attn')


def test_gradients_are_those_of_differences(monkeypatch):
    monkeypatch.setattr(deformable_attention, 'CHUNK', 64)  # more than one
    shapes, starts = torch.tensor([[3, 4], [2, 2]]), torch.tensor([0, 12])
    value = torch.randn(2, 16, 2, 3, dtype=torch.float64)
    weights = torch.randn(2, 3, 2, 2, 2, dtype=torch.float64)
    locations = torch.rand(2, 3, 2, 2, 2, 2, dtype=torch.float64) * 1.3 - 0.15  # some outside

    def attend(value, locations, weights):
        arguments = (value, shapes, starts, locations, weights, 1)
        return of_mmcv.MultiScaleDeformableAttnFunction.apply(*arguments)

    inputs = [each.requires_grad_() for each in (value, locations, weights)]
    # the kernels add up in the order of threads
    assert torch.autograd.gradcheck(attend, inputs, nondet_tol=1e-10)


def test_what_is_traced_keeps_the_steps_of_mmcv():
    shapes = torch.tensor([[4, 5], [2, 3]])

    def attend(value, places, weights):
        return of_mmcv.multi_scale_deformable_attn_pytorch(value, shapes, places, weights)

    inputs = torch.randn(1, 26, 2, 4), torch.rand(1, 3, 2, 2, 2, 2), torch.rand(1, 3, 2, 2, 2)
    traced = torch.jit.trace(attend, inputs)
    assert 'grid_sampler' in str(traced.graph)
    torch.testing.assert_close(traced(*inputs), attend(*inputs))
