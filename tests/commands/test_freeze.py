"""``train --freeze``: what is frozen stays as it is, and the rest learns."""

from copy import deepcopy

import pytest
import torch
from mmengine.config import Config

from vitbackbones.errors import InputError
from vitbackbones.training.frozen import use_freeze
from vitbackbones.weights.read.load import load_file

from ..training.toy import run_toy
from .conftest import TINY_SEG
from .test_messages import refused

pytestmark = pytest.mark.compat
STEPS = 4


def frozen(part, data, work_dir, steps=STEPS, **backbone):
    """A tiny segmentor with stochastic depth, or with another backbone."""
    config = Config.fromfile(TINY_SEG)
    config.update(work_dir=str(work_dir), val_cfg=None, val_dataloader=None, val_evaluator=None)
    config.train_dataloader.dataset.data_root = str(data)
    config.train_cfg.max_iters = steps
    if backbone:
        config.model.backbone = backbone
        config.model.decode_head.in_channels = 64
    else:
        config.model.backbone.drop_path_rate = 0.5
    return use_freeze(config, part)


def changed(part, data, work_dir, **backbone):
    """Train, and return the runner and the names of the tensors that are not as they were."""
    start = run_toy(frozen(part, data, work_dir, steps=0, **backbone)).model.state_dict()
    runner = run_toy(frozen(part, data, work_dir, **backbone))
    now = runner.model.state_dict()
    assert now.keys() == start.keys()
    return runner, {name for name, value in now.items() if not torch.equal(value, start[name])}


def names(runner, learns):
    return {n for n, p in runner.model.named_parameters() if p.requires_grad == learns}


@pytest.mark.parametrize(
    'backbone',
    [
        {},
        {'type': 'mmseg.ResNetV1c', 'depth': 18, 'base_channels': 8},
    ],
    ids=['ours', 'with batch norms'],
)
def test_a_frozen_backbone_never_changes(data, tmp_path, backbone):
    runner, learned = changed('backbone', data, tmp_path, **backbone)
    every = {name for name, _ in runner.model.named_parameters()}
    assert names(runner, True) == {name for name in every if not name.startswith('backbone.')}
    assert names(runner, True) <= learned
    assert not any(name.startswith('backbone.') for name in learned)


def test_a_frozen_backbone_stays_in_eval_mode_and_so_does_a_copy(data, tmp_path):
    model = run_toy(frozen('backbone', data, tmp_path, steps=1)).model
    for each in (model, deepcopy(model)):
        each.train()
        assert each.decode_head.training
        assert not any(part.training for part in each.backbone.modules())
    image = torch.rand(1, 3, 64, 64)
    (map_,) = model.backbone(image)
    assert not map_.requires_grad
    assert torch.equal(map_, model.backbone(image)[0])


def test_the_optimizer_has_states_of_what_learns_alone(data, tmp_path):
    runner = run_toy(frozen('backbone', data, tmp_path))
    optimizer = runner.optim_wrapper.optimizer
    learning = {p for p in runner.model.parameters() if p.requires_grad}
    assert {*optimizer.state} == learning


def test_one_line_says_how_many_parameters_learn(run, data, tmp_path):
    options = ['optim_wrapper.paramwise_cfg.bias_lr_mult=2.0', 'train_cfg.max_iters=1']
    words = ['--freeze', 'backbone', '--scratch', '--data-root', data, '--work-dir', 'run']
    said = run('train', TINY_SEG, *words, '--cfg-options', *options).out
    log = next(tmp_path.glob('run/*/*.log')).read_text()
    for text in (said, log):
        assert text.count('parameters are trained, the others are frozen') == 1
        assert 'requires_grad=False' not in text
    state = load_file(tmp_path / 'run' / 'iter_1.pth')
    assert 'backbone.blocks.0.norm1.weight' in state['state_dict']


def test_the_first_stages_are_frozen_by_their_number(data, tmp_path):
    runner, learned = changed(0, data, tmp_path)
    stem = names(runner, False)
    assert stem
    assert not stem & learned
    assert any(name.startswith('backbone.blocks.0') for name in learned)
    assert names(runner, True) <= learned


def test_more_stages_than_there_are_is_refused(tool, data):
    said = tool('train', TINY_SEG, '--scratch', '--data-root', data, '--freeze', '2')
    refused(said, 'frozen_stages=2: must be in [-1, 1]')
    said = tool('train', 'detr_r50_shapes', '--freeze', '5')
    refused(said, '--freeze 5: the backbone of this config has only 4 stages')


@pytest.mark.parametrize('text', ['0', '-1', 'nan', 'inf', 'many'])
def test_a_bound_that_bounds_nothing_is_refused(tool, capsys, text):
    with pytest.raises(SystemExit):
        tool('train', TINY_SEG, '--freeze', 'backbone', f'--cache-gb={text}')
    assert 'argument --cache-gb: ' in capsys.readouterr().err


def test_a_part_that_is_unknown_is_refused(tool, capsys):
    with pytest.raises(SystemExit):
        tool('train', TINY_SEG, '--freeze', 'head')
    text = 'argument --freeze: head is neither "backbone" nor a number of stages'
    assert text in capsys.readouterr().err


@pytest.mark.parametrize('words', [['--cache-gb', '1'], ['--cache-views', '2', '--freeze', '0']])
def test_maps_are_kept_of_a_frozen_backbone_alone(tool, data, words):
    said = tool('train', TINY_SEG, '--scratch', '--data-root', data, *words)
    refused(
        said, '--cache-gb, --cache-views: only the feature maps of a frozen backbone can be cached'
    )


def test_a_run_keeps_maps_and_says_so_in_its_config(run, data, tmp_path, monkeypatch):
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))
    words = ['--freeze', 'backbone', '--cache-gb', '0.1', '--cache-views', '2', '--work-dir', 'run']
    run('train', TINY_SEG, *words, '--scratch', '--data-root', data)
    assert len([*tmp_path.glob('cache/vitbackbones/maps/*/maps')]) == 1
    hooks = Config.fromfile(tmp_path / 'run' / 'tiny_seg.py').custom_hooks
    assert {'type': 'vitbackbones.CachedMapsHook', 'gb': 0.1, 'views': 2} in hooks


def test_a_model_without_a_backbone_is_refused():
    with pytest.raises(InputError, match='^--freeze: the model of this config has no backbone'):
        use_freeze(Config({'model': {'type': 'ToyModel'}}), 'backbone')
