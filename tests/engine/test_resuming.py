"""Which checkpoint is continued from, and what happens when it does not fit."""

import os
import shutil

import pytest
import torch
from mmengine.config import Config
from torch import nn

from vitbackbones.backbones import ViT
from vitbackbones.checkpoint import load_file
from vitbackbones.engine.resuming import (
    LATEST,
    find_checkpoint,
    find_resume,
    fitting_state,
    latest_checkpoint,
)
from vitbackbones.errors import InputError

from .toy import run_toy, toy_config

pytestmark = pytest.mark.compat


@pytest.fixture(scope='module')
def trained(tmp_path_factory):
    """The work dir of a complete run."""
    folder = tmp_path_factory.mktemp('trained')
    run_toy(toy_config(folder))
    return folder


def resume(work_dir, checkpoint, **changes):
    hook = {'type': 'vitbackbones.FittingCheckpointHook', 'path': str(checkpoint), 'resume': True}
    changes = {'custom_hooks': [hook], 'resume': True, 'load_from': str(checkpoint), **changes}
    return run_toy(toy_config(work_dir, **changes))


def test_latest_is_the_one_named(trained, tmp_path):
    assert latest_checkpoint(trained) == trained / 'epoch_3.pth'
    moved = shutil.copytree(trained, tmp_path / 'moved')
    (moved / 'last_checkpoint').write_text('/gone/epoch_2.pth')
    assert latest_checkpoint(moved) == moved / 'epoch_2.pth'


@pytest.mark.parametrize('pointer', ['', '/gone/epoch_7.pth', None])
def test_latest_without_a_usable_name_is_the_newest(tmp_path, pointer):
    for age, name in enumerate(['epoch_10.pth', 'epoch_9.pth', 'best_x_epoch_10.pth']):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (1000 - age, 1000 - age))
    os.utime(tmp_path / 'best_x_epoch_10.pth', (2000, 2000))
    if pointer is not None:
        (tmp_path / 'last_checkpoint').write_text(pointer)
    assert latest_checkpoint(tmp_path).name == 'epoch_10.pth'


def test_nothing_to_resume(tmp_path):
    config = Config({'work_dir': str(tmp_path)})
    with pytest.raises(InputError, match=f'--resume: no checkpoint in {tmp_path}. Leave --resume'):
        find_resume(config, LATEST)
    with pytest.raises(InputError, match='--resume nothing.pth: no checkpoint there'):
        find_resume(config, 'nothing.pth')


def test_a_work_dir_stands_for_its_latest(trained):
    assert find_checkpoint(str(trained), 'CHECKPOINT') == trained / 'epoch_3.pth'


def test_resuming_continues(trained, tmp_path):
    runner = resume(tmp_path, trained / 'epoch_2.pth')
    assert (runner.epoch, runner.iter) == (3, 12)


def test_a_complete_run_says_so(trained, tmp_path, capsys):
    resume(tmp_path, trained / 'epoch_3.pth')
    assert 'the training is complete, nothing is left to do' in capsys.readouterr().out


def test_another_model(trained, tmp_path):
    with pytest.raises(InputError, match='is not a checkpoint of this model') as error:
        resume(tmp_path, trained / 'epoch_2.pth', model={'type': 'ToyModel', 'width': 2})
    assert '2 tensors of another shape: line.weight, line.bias' in str(error.value)


def test_missing_and_unexpected_tensors_are_listed(trained, tmp_path):
    checkpoint = load_file(trained / 'epoch_2.pth')
    state = checkpoint['state_dict']
    state['line.gain'] = state.pop('line.bias')
    torch.save(checkpoint, tmp_path / 'other.pth')
    with pytest.raises(InputError) as error:
        resume(tmp_path, tmp_path / 'other.pth')
    assert '1 tensors missing from it: line.bias' in str(error.value)
    assert '1 tensors not in the model: line.gain' in str(error.value)


def test_weights_only(trained, tmp_path):
    torch.save(load_file(trained / 'epoch_2.pth')['state_dict'], tmp_path / 'weights.pth')
    with pytest.raises(InputError, match='weights only, nothing to resume'):
        resume(tmp_path, tmp_path / 'weights.pth')


def test_another_optimizer(trained, tmp_path):
    wrapper = {
        'type': 'OptimWrapper',
        'optimizer': {'type': 'Adam', 'lr': 0.1},
        'paramwise_cfg': {'bias_lr_mult': 2.0},
    }
    with pytest.raises(InputError, match='1 groups of 2 parameters, that of the config 2 of 2'):
        resume(tmp_path, trained / 'epoch_2.pth', optim_wrapper=wrapper)


@pytest.mark.parametrize(
    ('key', 'value', 'message'),
    [
        ('backbone.pos_embed', torch.zeros(1, 6, 8), 'backbone.pos_embed: a position code of 6'),
        ('backbone.norm.bias', torch.full((8,), torch.nan), '1 of 18 tensors: backbone.norm.bias'),
        ('backbone.pos_embed', torch.zeros(3), 'x.pth: damaged, or not a checkpoint of this model'),
    ],
)
def test_damaged_weights(key, value, message):
    vit = ViT(arch={'embed_dims': 8, 'depth': 1, 'num_heads': 2}, img_size=32)
    model = nn.ModuleDict({'backbone': vit})
    with pytest.raises(InputError) as error:
        fitting_state('x.pth', model, {'state_dict': {**model.state_dict(), key: value}})
    assert message in str(error.value)
    assert str(error.value).startswith('x.pth: ')


def test_not_a_checkpoint(tmp_path):
    (tmp_path / 'text.pth').write_text('hello')
    with pytest.raises(InputError, match='text.pth: is no torch checkpoint, or is damaged'):
        resume(tmp_path, tmp_path / 'text.pth')
