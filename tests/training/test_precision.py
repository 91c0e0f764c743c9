"""The device that is taken, and ``--amp``: bfloat16, also on a CPU, and it learns."""

import pytest
import torch
from mmengine.config import Config
from mmengine.device import get_device
from mmengine.device import utils as device_module

from vitbackbones.errors import InputError
from vitbackbones.training import precision
from vitbackbones.training.distributed import choose_device, device_name, use_device
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
    monkeypatch.setattr(device_module, 'DEVICE', 'cuda' if available else 'cpu')
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


def test_the_wrapper_of_mmengine_lacks_an_accelerator_on_a_cpu(monkeypatch):
    amp = Config({'optim_wrapper': {'type': 'AmpOptimWrapper'}})
    monkeypatch.setattr(precision, 'get_device', lambda: 'cpu')
    assert precision.lacks_accelerator(amp)
    assert not precision.lacks_accelerator(Config({'optim_wrapper': {}}))
    monkeypatch.setattr(precision, 'get_device', lambda: 'cuda')
    assert not precision.lacks_accelerator(amp)


def test_another_wrapper_is_refused():
    with pytest.raises(InputError, match="--amp: optim_wrapper.type='Apex"):
        use_amp(Config({'optim_wrapper': {'type': 'ApexOptimWrapper'}}))


def test_the_gpu_of_a_mac_is_taken_where_there_is_none_of_nvidia(monkeypatch):
    monkeypatch.setattr(device_module, 'DEVICE', 'mps')  # as mmengine finds when it is imported
    empty = torch.empty
    monkeypatch.setattr(torch, 'empty', lambda *size, device: empty(*size, device='meta'))
    assert device_name() == "Apple's GPU"
    assert choose_device(None) == torch.device('mps')
    assert choose_device('cpu') == torch.device('cpu')


@pytest.mark.parametrize(
    'name',
    ['gpu', '0', '0,1', '-1', 'meta', 'cuda:', 'cuda:-1', 'cuda:99999', 'CUDA', 'auto'],
)
def test_a_device_of_another_name_is_refused(name):
    with pytest.raises(InputError, match=f'^--device {name}: must be cpu, cuda, cuda:1 '):
        use_device(name)
    assert get_device() != name


def test_a_device_that_is_not_here_is_refused_in_one_short_line(monkeypatch):
    monkeypatch.setattr(device_module, 'DEVICE', 'cpu')
    with pytest.raises(InputError, match='^--device mps: ') as refused:
        use_device('mps')
    assert len(str(refused.value)) < 200
    assert get_device() == 'cpu'


def test_a_run_on_the_cpu_of_a_machine_with_a_gpu(monkeypatch, tmp_path):
    monkeypatch.setattr(device_module, 'DEVICE', 'cuda')
    use_device('cpu')
    assert get_device() == 'cpu'
    runner = run_toy(use_amp(toy_config(tmp_path)))
    assert next(runner.model.parameters()).device.type == 'cpu'
    assert 'Bf16' in runner.cfg.optim_wrapper.type


def test_the_second_gpu_is_made_the_current_one(monkeypatch):
    monkeypatch.setattr(device_module, 'DEVICE', 'cpu')
    chosen = []
    empty = torch.empty
    monkeypatch.setattr(torch, 'empty', lambda *size, device: empty(*size, device='meta'))
    monkeypatch.setattr(torch.cuda, 'set_device', chosen.append)
    use_device('cuda')
    assert chosen == []
    use_device('cuda:1')
    assert chosen == [torch.device('cuda:1')]
    assert get_device() == 'cuda'


def test_launchers_choose_the_devices():
    with pytest.raises(InputError, match='--device: --launcher pytorch chooses the devices'):
        use_device('cpu', 'pytorch')
