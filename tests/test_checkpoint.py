"""Safe reading of checkpoint files, and the count of what a file fills."""

import argparse
import os
import pickle

import numpy as np
import pytest
import torch
from mmengine.logging import HistoryBuffer
from mmengine.runner import load_checkpoint
from safetensors.torch import save_file
from torch import nn

from vitbackbones.checkpoint import load_file, load_pretrained
from vitbackbones.errors import InputError
from vitbackbones.registry import WEIGHT_INITIALIZERS

pytestmark = pytest.mark.compat


class Attack:
    """Unpickling it creates a file."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return os.mkdir, (self.path,)


@pytest.fixture
def attack(tmp_path):
    path = tmp_path / 'attack.pth'
    torch.save({'state_dict': {'weight': torch.ones(1)}, 'meta': Attack(tmp_path / 'ran')}, path)
    return path


def test_a_file_that_would_run_code_is_refused_and_does_not_run(attack):
    with pytest.raises(InputError, match=f'{attack}: refused.*mkdir'):
        load_file(attack)
    assert not (attack.parent / 'ran').exists()
    # the file is a real attack: free unpickling runs it
    torch.load(attack, weights_only=False)
    assert (attack.parent / 'ran').exists()


def test_mmengine_loads_through_the_same_gate(attack):
    with pytest.raises(InputError, match='refused'):
        load_checkpoint(nn.Linear(1, 1), str(attack))
    assert not (attack.parent / 'ran').exists()


def test_getattr_in_a_file_reaches_nothing_but_the_loss_history(tmp_path):
    class Reach:
        def __reduce__(self):
            return getattr, (HistoryBuffer, '__init__')

    torch.save({'meta': Reach()}, tmp_path / 'reach.pth')
    with pytest.raises(InputError, match='refused'):
        load_file(tmp_path / 'reach.pth')


def test_what_training_frameworks_store_is_read(tmp_path):
    history = HistoryBuffer()
    history.update(0.25)
    stored = {
        'message_hub': {'loss': history},
        'args': argparse.Namespace(lr=0.1),
        'best': np.float64(3.5),
        'step': np.int64(2),
        'rng': np.arange(4, dtype=np.uint32),
        'state_dict': {'weight': torch.ones(2)},
    }
    torch.save(stored, tmp_path / 'full.pth')
    loaded = load_file(tmp_path / 'full.pth')
    assert loaded['message_hub']['loss'].current() == 0.25
    assert loaded['message_hub']['loss'].mean() == 0.25
    assert (loaded['args'].lr, loaded['best'], loaded['step']) == (0.1, 3.5, 2)
    assert loaded['rng'].tolist() == [0, 1, 2, 3]


def test_safetensors_are_read(tmp_path):
    save_file({'weight': torch.ones(2)}, tmp_path / 'w.safetensors')
    assert load_file(tmp_path / 'w.safetensors')['weight'].tolist() == [1, 1]


@pytest.mark.parametrize('name', ['a.pth', 'a.safetensors'])
def test_a_file_that_is_no_checkpoint_is_named(tmp_path, name):
    path = tmp_path / name
    with pytest.raises(InputError, match=f'{path}: no such checkpoint file'):
        load_file(path)
    for content in (b'not a checkpoint', b'hello', b''):
        path.write_bytes(content)
        with pytest.raises(InputError, match=str(path)):
            load_file(path)


def test_a_truncated_file_is_named(tmp_path):
    path = tmp_path / 'cut.pth'
    torch.save({'weight': torch.randn(1000)}, path)
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(InputError, match=str(path)):
        load_file(path)


def test_a_plain_pickle_is_refused(tmp_path):
    path = tmp_path / 'plain.pth'
    path.write_bytes(pickle.dumps(Attack(tmp_path / 'ran')))
    with pytest.raises(InputError, match=str(path)):
        load_file(path)
    assert not (tmp_path / 'ran').exists()


@pytest.fixture
def module():
    return nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 4))


def save(tmp_path, module, **changes):
    state = {**module.state_dict(), **changes}
    path = tmp_path / 'weights.pth'
    torch.save({k: v for k, v in state.items() if v is not None}, path)
    return path


def test_coverage_counts_and_names_everything(module, tmp_path):
    path = save(tmp_path, module, **{'1.bias': None, 'head.weight': torch.ones(1)})
    coverage = load_pretrained(module, path, allow_missing=['1.*'])
    assert coverage.used == ('0.weight', '0.bias', '1.weight')
    assert coverage.missing == ('1.bias',)
    assert coverage.unused == ('head.weight',)
    assert '3 of 4 tensors filled; missing: 1.bias; unused: head.weight' in str(coverage)


def test_a_missing_tensor_stops_and_leaves_the_module_alone(module, tmp_path):
    before = {k: v.clone() for k, v in module.state_dict().items()}
    path = save(tmp_path, module, **{'0.weight': torch.zeros(3, 2), '1.bias': None})
    with pytest.raises(InputError, match='nothing for 1 tensors: 1.bias'):
        load_pretrained(module, path)
    for key, value in module.state_dict().items():
        assert torch.equal(value, before[key])


def test_another_shape_stops_whatever_is_allowed(module, tmp_path):
    path = save(tmp_path, module, **{'1.weight': torch.ones(5, 3)})
    with pytest.raises(InputError, match=r'1.weight \(5, 3\) for \(4, 3\)'):
        load_pretrained(module, path, allow_missing=['*'])


def test_any_module_can_be_initialised_by_config(module, tmp_path):
    path = save(tmp_path, nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 4)))
    config = {'type': 'vitbackbones.Pretrained', 'checkpoint': str(path)}
    WEIGHT_INITIALIZERS.build(config)(module)
    for key, value in torch.load(path).items():
        assert torch.equal(module.state_dict()[key], value)
