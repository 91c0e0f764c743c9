"""The suite of training steps, at tiny size."""

from argparse import Namespace

import pytest
import torch

from vitbackbones.benchmarking.model_sources import SOURCES
from vitbackbones.benchmarking.suites import train

TINY = {'DeiT-Ti': ('timm:deit_tiny_patch16_224', 'ours:deit_ti')}


@pytest.fixture
def table(monkeypatch):
    """The suite's rows for one small classifier and 64 x 96 pictures."""
    monkeypatch.setattr(train, 'CLASSIFIERS', TINY)
    options = {'size': [(64, 64)], 'batch': [2], 'engine': ['eager'], 'repeats': 1, 'warm_up': 0}
    return list(train.rows(Namespace(**options, device=torch.device('cpu')), SOURCES))


def test_every_comparison_has_its_forms_and_the_first_is_the_unit(table):
    forms = {}
    for row in table:
        forms.setdefault((row['step'], row['model']), []).append(row)
    assert {key: [row['form'] for row in each] for key, each in forms.items()} == {
        ('train', 'DeiT-Ti'): list(TINY['DeiT-Ti']),
        ('train', 'DETR'): ['mmdet:detr', 'ours:detr'],
        ('train', 'SETR-PUP'): ['mmseg:setr_pup', 'ours:setr_pup'],
        ('optimizer', 'DeiT-S'): list(train.OPTIMIZERS),
    }
    assert all(each[0]['ratio'] == 1 for each in forms.values())
    assert len({tuple(row) for row in table}) == 1  # the same columns


def test_a_step_moves_the_weights_by_the_rate_of_adamw():
    model = torch.nn.Linear(3, 1)
    before = model.weight.detach().clone()
    train.training_step(model.eval(), lambda: model(torch.ones(1, 3)).sum())()
    assert model.training
    assert model.weight.grad is None
    torch.testing.assert_close(before - model.weight, torch.full((1, 3), 1e-4), rtol=1e-2, atol=0)
