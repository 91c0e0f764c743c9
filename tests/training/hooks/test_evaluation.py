"""A runner tests the fused form, not what it trains."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn

from vitbackbones.backbones import ViT
from vitbackbones.training.hooks.evaluation import CorrectPicturesHook, FusedHook


@pytest.mark.parametrize('bfloat16', [False, True])
def test_the_model_is_replaced_by_its_fused_form(bfloat16):
    model = nn.Sequential(ViT(arch={'embed_dims': 16, 'depth': 1, 'num_heads': 2}, img_size=32))
    runner = SimpleNamespace(model=model)
    FusedHook(bfloat16).before_test_epoch(runner)
    assert runner.model is not model
    weight = next(runner.model.parameters())
    assert not weight.requires_grad
    assert weight.dtype == (torch.bfloat16 if bfloat16 else torch.float32)


def test_right_pictures_are_noted_in_their_order(tmp_path):
    loader = SimpleNamespace(dataset=range(3))
    runner = SimpleNamespace(work_dir=tmp_path, val_dataloader=loader)
    hook = CorrectPicturesHook()
    for _ in range(2):  # the second evaluation takes the place of the first
        hook.before_val_epoch(runner)
        for labels in ([1, 2], [3]):
            truth = [
                SimpleNamespace(pred_label=torch.tensor(2), gt_label=torch.tensor(k))
                for k in labels
            ]
            hook.after_val_iter(runner, 0, None, truth)
        hook.after_val_epoch(runner)
    assert np.load(tmp_path / 'correct.npy').tolist() == [False, True, False]
