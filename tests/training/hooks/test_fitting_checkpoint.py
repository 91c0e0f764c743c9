"""A checkpoint that does not fit is refused, with what does not."""

import pytest
import torch
from torch import nn

from vitbackbones.backbones import ViT
from vitbackbones.errors import InputError
from vitbackbones.training.hooks.fitting_checkpoint import fitting_state
from vitbackbones.weights.read.load import load_file

from ..toy import run_toy, toy_config

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
    with pytest.raises(InputError, match='contains only weights, so training cannot be resumed'):
        resume(tmp_path, tmp_path / 'weights.pth')


# What lies where in a checkpoint of the wrong form, and what is said of it.
WRONG = [
    ('meta.iter', 'DELETED', 'meta.iter is missing'),
    ('meta.iter', -3, 'meta.iter is negative'),
    ('meta.seed', 'x', 'meta.seed is of type str'),
    ('meta.dataset_meta.classes', 7, 'meta.dataset_meta.classes is of type int'),
    ('state_dict', torch.ones(2), 'state_dict is of type Tensor'),
    ('optimizer.state', {0: 1}, 'optimizer.state.* is of type int'),
    ('param_schedulers', [{'step': 5}], 'step is not part of the state of a schedule'),
    ('message_hub', {}, 'message_hub.log_scalars is missing'),
    ('message_hub.runtime_info.keep_ckpt_ids', ['/x'], 'keep_ckpt_ids.* is of type str'),
    ('data_stream', [1], 'data_stream is of type list'),
    ('settings', {'model': 'x'}, 'settings.* is of type str'),
    ('ema_state_dict', {'steps': 'x'}, 'ema_state_dict.* is of type str'),
]


@pytest.mark.parametrize(('place', 'value', 'message'), WRONG)
def test_content_of_the_wrong_form_names_file_and_key(trained, tmp_path, place, value, message):
    checkpoint = load_file(trained / 'epoch_2.pth')
    *parents, key = place.split('.')
    parent = checkpoint
    for name in parents:
        parent = parent[name]
    parent[key] = value
    if isinstance(value, str) and value == 'DELETED':
        del parent[key]
    torch.save(checkpoint, tmp_path / 'wrong.pth')
    with pytest.raises(InputError) as error:
        resume(tmp_path, tmp_path / 'wrong.pth')
    assert str(error.value).startswith(f'{tmp_path}/wrong.pth: ')
    assert message in str(error.value)


def test_other_schedules_than_those_of_the_run(trained, tmp_path):
    """mmengine would pair them in order, and the rest would begin anew."""
    alone = [{'type': 'LinearLR', 'end': 4}]
    with pytest.raises(InputError) as error:
        resume(tmp_path, trained / 'epoch_2.pth', param_scheduler=alone)
    assert 'its run has 2 schedules (param_scheduler), but the config has 1; c' in str(error.value)
    assert not resume(tmp_path, trained / 'epoch_2.pth', param_scheduler=None).param_schedulers


@pytest.mark.parametrize('value', [7, torch.zeros(1)], ids=['a number', 'another shape'])
def test_state_that_does_not_fit_its_parameter(trained, tmp_path, value):
    """torch's fused optimizers would write beyond it."""
    checkpoint = load_file(trained / 'epoch_2.pth')
    checkpoint['optimizer']['state'][0] = {'exp_avg': value}
    torch.save(checkpoint, tmp_path / 'wrong.pth')
    message = r'wrong\.pth: optimizer\.state\.0\.exp_avg does not have the shape of its parameter'
    with pytest.raises(InputError, match=message):
        resume(tmp_path, tmp_path / 'wrong.pth')


def test_resuming_deletes_nothing_outside_of_the_work_dir(trained, tmp_path):
    """mmengine deletes the best checkpoint that a file names once it finds a better one."""
    dear = tmp_path / 'elsewhere' / 'best_dear.pth'
    dear.parent.mkdir()
    dear.touch()
    checkpoint = load_file(trained / 'epoch_2.pth')
    hub = checkpoint['message_hub']
    hub['runtime_info'] |= {'best_ckpt': str(dear), 'best_score': 1e9}
    hub['resumed_keys'] |= {'best_ckpt': True, 'best_score': True}
    torch.save(checkpoint, tmp_path / 'evil.pth')
    hook = {'type': 'CheckpointHook', 'interval': 1, 'save_best': 'toy/error', 'rule': 'less'}
    resume(tmp_path / 'run', tmp_path / 'evil.pth', default_hooks={'checkpoint': hook})
    assert list((tmp_path / 'run').glob('best_*'))  # a better one was found
    assert dear.exists()


@pytest.mark.parametrize(
    ('key', 'value', 'message'),
    [
        (
            'backbone.pos_embed',
            torch.zeros(1, 7, 8),
            'backbone.pos_embed: a position embedding of 7',
        ),
        (
            'backbone.norm.bias',
            torch.full((8,), torch.nan),
            '1 of 18 tensors contain NaN',
        ),
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
    with pytest.raises(InputError, match='text.pth: is not a torch checkpoint, or is damaged'):
        resume(tmp_path, tmp_path / 'text.pth')
