"""A runner tests the fused form, not what it trains."""

from types import SimpleNamespace

import pytest
import torch
from torch import nn

from vitbackbones.backbones import ViT
from vitbackbones.training.hooks.evaluation import FusedHook


def tiny():
    return nn.Sequential(ViT(arch={'embed_dims': 16, 'depth': 1, 'num_heads': 2}, img_size=32))


@pytest.mark.parametrize('bfloat16', [False, True])
def test_the_model_is_replaced_by_its_fused_form(bfloat16):
    model, image = tiny(), torch.randn(1, 3, 32, 32)
    runner = SimpleNamespace(model=model)
    FusedHook(bfloat16).before_test_epoch(runner)
    assert runner.model is not model
    assert not any(p.requires_grad for p in runner.model.parameters())
    expected, (found,) = model.eval()(image)[0], runner.model(image)
    tolerance = 0.05 if bfloat16 else 1e-5
    torch.testing.assert_close(found, expected, atol=tolerance, rtol=0)
    assert (found - expected).abs().max() > 1e-4 or not bfloat16
