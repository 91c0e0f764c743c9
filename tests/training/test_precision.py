"""The device that is taken, and ``--amp``: bfloat16, also on a CPU, and it learns."""

import pytest
import torch
from mmengine.config import Config

from vitbackbones.errors import InputError
from vitbackbones.tasks.predictor import choose_device
from vitbackbones.training.distributed import best_device, device_name
from vitbackbones.training.precision import use_amp

from .toy import run_toy, toy_config


def test_it_trains_a_config(tmp_path):
    runner = run_toy(use_amp(toy_config(tmp_path)))
    losses = runner.message_hub.get_scalar('train/loss').data[0]
    with runner.optim_wrapper.optim_context(runner.model):
        assert runner.model.line(torch.ones(1, 1)).dtype == torch.bfloat16
    assert runner.model.line(torch.ones(1, 1)).dtype == torch.float32
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
    config = use_amp(Config({'optim_wrapper': wrapper}))
    assert config.optim_wrapper == {'type': 'vitbackbones.Bf16OptimWrapper', 'optimizer': {}}
    assert use_amp(config).optim_wrapper == config.optim_wrapper  # of a dump


def test_another_wrapper_is_refused():
    with pytest.raises(InputError, match="--amp: optim_wrapper.type='Apex"):
        use_amp(Config({'optim_wrapper': {'type': 'ApexOptimWrapper'}}))


def test_the_gpu_of_a_mac_is_taken_where_there_is_none_of_nvidia(monkeypatch):
    monkeypatch.setattr(torch.cuda, 'is_available', lambda: False)
    monkeypatch.setattr(torch.backends.mps, 'is_available', lambda: True)
    empty = torch.empty
    monkeypatch.setattr(torch, 'empty', lambda *size, device: empty(*size, device='meta'))
    assert (best_device(), device_name()) == ('mps', "Apple's GPU")
    assert choose_device(None) == torch.device('mps')
    assert choose_device('cpu') == torch.device('cpu')
    monkeypatch.setattr(torch.cuda, 'is_available', lambda: True)
    assert best_device() == 'cuda'
