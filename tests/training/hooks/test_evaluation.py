"""A runner tests the fused form, not what it trains."""

from types import SimpleNamespace

import pytest
import torch
from torch import nn

from vitbackbones.backbones import ViT
from vitbackbones.training.hooks.evaluation import FusedHook


@pytest.mark.parametrize('bfloat16', [False, True])
def test_the_model_is_replaced_by_its_fused_form(bfloat16):
    model = nn.Sequential(ViT(arch={'embed_dims': 16, 'depth': 1, 'num_heads': 2}, img_size=32))
    runner = SimpleNamespace(model=model)
    FusedHook(bfloat16).before_test_epoch(runner)
    assert runner.model is not model
    weight = next(runner.model.parameters())
    assert not weight.requires_grad
    assert weight.dtype == (torch.bfloat16 if bfloat16 else torch.float32)
