"""Apple's GPU is taken where there is one, by training, prediction and mixed precision alike."""

import pytest
import torch
from mmengine.config import Config

from vitbackbones.inference.predictor import choose_device
from vitbackbones.training.distributed import best_device, device_name
from vitbackbones.training.precision import half_type, use_amp


@pytest.fixture
def mac(monkeypatch):
    """Make torch believe in a GPU of Apple, and in none of NVIDIA."""
    monkeypatch.setattr(torch.cuda, 'is_available', lambda: False)
    monkeypatch.setattr(torch.backends.mps, 'is_available', lambda: True)
    empty = torch.empty
    monkeypatch.setattr(torch, 'empty', lambda *size, device: empty(*size, device='meta'))


@pytest.mark.usefixtures('mac')
def test_the_gpu_of_a_mac_is_taken_where_no_device_is_named():
    assert (best_device(), device_name()) == ('mps', "Apple's GPU")
    assert choose_device(None) == torch.device('mps')
    assert choose_device('cpu') == torch.device('cpu')


@pytest.mark.usefixtures('mac')
def test_mixed_precision_on_a_mac_is_bfloat16_without_scaling():
    config = use_amp(Config({'optim_wrapper': {'type': 'OptimWrapper'}}))
    assert half_type('mps') is torch.bfloat16
    assert config.optim_wrapper.type == 'vitbackbones.Bf16OptimWrapper'


def test_a_gpu_of_nvidia_comes_first(monkeypatch):
    monkeypatch.setattr(torch.cuda, 'is_available', lambda: True)
    monkeypatch.setattr(torch.backends.mps, 'is_available', lambda: True)
    assert best_device() == 'cuda'
