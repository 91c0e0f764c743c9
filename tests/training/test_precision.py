"""``--amp`` computes in bfloat16, also on a CPU, and learns."""

import pytest
import torch
from mmengine.config import Config
from torch import nn

from vitbackbones.errors import InputError
from vitbackbones.training.precision import Bf16OptimWrapper, use_amp

from .toy import run_toy, toy_config


def test_the_forward_pass_is_in_bfloat16_and_weights_are_not():
    model = nn.Linear(2, 2)
    wrapper = Bf16OptimWrapper(torch.optim.SGD(model.parameters(), 0.1))
    with wrapper.optim_context(model):
        assert model(torch.ones(1, 2)).dtype == torch.bfloat16
    assert model(torch.ones(1, 2)).dtype == torch.float32


def test_it_trains_a_config(tmp_path):
    runner = run_toy(use_amp(toy_config(tmp_path)))
    losses = runner.message_hub.get_scalar('train/loss').data[0]
    assert isinstance(runner.optim_wrapper, Bf16OptimWrapper)
    assert losses[-4:].mean() < losses[:4].mean()


@pytest.mark.parametrize(
    ('available', 'bfloat16', 'kind'),
    [(True, False, 'AmpOptimWrapper'), (True, True, 'Bf16'), (False, False, 'Bf16')],
)
def test_the_device_decides(monkeypatch, available, bfloat16, kind):
    monkeypatch.setattr(torch.cuda, 'is_available', lambda: available)
    monkeypatch.setattr(torch.cuda, 'is_bf16_supported', lambda **options: bfloat16)
    config = use_amp(Config({'optim_wrapper': {'optimizer': {}, 'clip_grad': {'max_norm': 1}}}))
    assert kind in config.optim_wrapper.type
    assert config.optim_wrapper.clip_grad == {'max_norm': 1}
    assert ('dtype' in config.optim_wrapper) == (kind == 'AmpOptimWrapper')


def test_options_of_mmengines_wrapper_do_not_stay():
    wrapper = {'type': 'AmpOptimWrapper', 'loss_scale': 512.0, 'dtype': 'float16', 'optimizer': {}}
    before = Config({'optim_wrapper': wrapper})
    config = use_amp(before)
    assert before.optim_wrapper == wrapper
    assert set(config.optim_wrapper) == {'type', 'optimizer'}


def test_another_wrapper_is_refused():
    with pytest.raises(InputError, match="--amp: no mixed precision with optim_wrapper.type='Apex"):
        use_amp(Config({'optim_wrapper': {'type': 'ApexOptimWrapper'}}))


def test_the_dump_of_a_run_with_mixed_precision_takes_the_option_again():
    once = use_amp(Config({'optim_wrapper': {'optimizer': {}}}))
    assert use_amp(once).optim_wrapper == once.optim_wrapper
