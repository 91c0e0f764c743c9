"""``train --lora``: adapters and heads learn, checkpoints are merged, resuming is exact."""

import json

import numpy as np
import pytest
import torch
from mmengine.config import Config
from safetensors.torch import load_file as load_safetensors
from torch.nn import BatchNorm2d

import vitbackbones
from vitbackbones.errors import InputError
from vitbackbones.layers.lora import ADAPTERS, add_adapters, merged_state
from vitbackbones.weights.adapters import CONFIG, MATRICES, load_adapter
from vitbackbones.weights.read.load import load_file

from ..openmmlab.conftest import build
from ..small_backbones import SRET, small
from ..training.toy import run_toy
from .conftest import TINY_SEG
from .test_messages import refused

pytestmark = pytest.mark.compat
RANK = 2
EMA = {'type': 'vitbackbones.EMAHook', 'momentum': 0.5}


def config(data, work_dir, *hooks, steps=4, rank=RANK, **changes):
    """A tiny segmentor with noise, which saves every second step."""
    found = Config.fromfile(TINY_SEG)
    found.update(work_dir=str(work_dir), val_cfg=None, val_dataloader=None, val_evaluator=None)
    found.train_dataloader.dataset.data_root = str(data)
    found.train_cfg.max_iters = steps
    found.model.backbone.drop_path_rate = 0.5
    found.default_hooks.checkpoint = {
        'type': 'vitbackbones.CheckpointHook',
        'interval': 2,
        'by_epoch': False,
    }
    kinds = ['AdaptersHook', 'ExactResumeHook']
    found.custom_hooks = [*hooks, *({'type': f'vitbackbones.{kind}'} for kind in kinds)]
    found.update(lora=rank, randomness={'seed': 0}, **changes)
    return found


def resumed(data, work_dir, *hooks, steps=4, **changes):
    checkpoint = str(work_dir / 'iter_2.pth')
    fits = {'type': 'vitbackbones.FittingCheckpointHook', 'path': checkpoint, 'resume': True}
    given = {'resume': True, 'load_from': checkpoint, **changes}
    return run_toy(config(data, work_dir, fits, *hooks, steps=steps, **given))


def test_adapters_and_the_head_learn_and_nothing_else(data, tmp_path):
    start = run_toy(config(data, tmp_path, steps=0)).model.state_dict()
    runner = run_toy(config(data, tmp_path))
    now = runner.model.state_dict()
    changed = {name for name, value in now.items() if not torch.equal(value, start[name])}
    backbone = {name for name in now if name.startswith('backbone.')}
    adapters = {name for name in backbone if name.endswith(ADAPTERS)}
    assert len(adapters) == 2 * 4
    assert changed & backbone == adapters
    assert {n for n, p in runner.model.named_parameters() if p.requires_grad} <= changed
    states = runner.optim_wrapper.optimizer.state
    assert {*states} == {p for p in runner.model.parameters() if p.requires_grad}


def test_running_statistics_of_the_backbone_stay(data, tmp_path):
    given = config(data, tmp_path)
    given.model.backbone = {**small('SReT'), 'out_indices': [2]}
    given.model.decode_head.in_channels = SRET['embed_dims'][2]
    model = run_toy(given).model
    norms = [part for part in model.backbone.modules() if isinstance(part, BatchNorm2d)]
    assert norms
    assert all(part.num_batches_tracked == 0 for part in norms)


@pytest.mark.parametrize('hooks', [[], [EMA]], ids=['alone', 'with an average'])
def test_a_resumed_run_equals_one_that_was_not_stopped(data, tmp_path, hooks):
    whole = run_toy(config(data, tmp_path / 'whole', *hooks))
    run_toy(config(data, tmp_path / 'parts', *hooks, steps=2))
    parts = resumed(data, tmp_path / 'parts', *hooks)
    for name, value in whole.model.state_dict().items():
        assert torch.equal(value, parts.model.state_dict()[name]), name
    files = [load_file(tmp_path / each / 'iter_4.pth') for each in ('whole', 'parts')]
    for name, value in files[0]['state_dict'].items():
        assert torch.equal(value, files[1]['state_dict'][name]), name
    folders = [tmp_path / each / 'adapter' / MATRICES for each in ('whole', 'parts')]
    assert folders[0].read_bytes() == folders[1].read_bytes()


def test_checkpoint_and_folder_have_what_validation_evaluates(data, tmp_path):
    runner = run_toy(config(data, tmp_path, EMA))
    (average,) = (h.ema_model.module for h in runner.hooks if hasattr(h, 'ema_model'))
    checkpoint = load_file(tmp_path / 'iter_4.pth')
    merged, unmerged = merged_state(average.state_dict())
    assert not any(key.endswith(ADAPTERS) for key in checkpoint['state_dict'])
    assert all(torch.equal(merged[key], x) for key, x in checkpoint['state_dict'].items())
    last = merged_state(runner.model.state_dict())[0]
    assert all(torch.equal(last[key], x) for key, x in checkpoint['last_state_dict'].items())
    matrices = load_safetensors(tmp_path / 'adapter' / MATRICES)
    key = 'blocks.0.mlp.fc1.lora_B'
    assert torch.equal(matrices[f'base_model.model.{key}.weight'], unmerged[f'backbone.{key}'])


def test_the_folder_on_its_base_is_the_backbone_of_the_checkpoint(data, tmp_path):
    model = run_toy(config(data, tmp_path, steps=0)).model
    base = build(config(data, tmp_path)).backbone
    base.load_state_dict(merged_state(model.backbone.state_dict())[0])
    run_toy(config(data, tmp_path))
    load_adapter(base, tmp_path / 'adapter')
    state = load_file(tmp_path / 'iter_4.pth')['state_dict']
    for name, value in base.state_dict().items():
        torch.testing.assert_close(value, state[f'backbone.{name}'])
    about = json.loads((tmp_path / 'adapter' / CONFIG).read_text())
    assert about['base_model_name_or_path'] == 'tiny_seg'


def test_what_does_not_go_on_as_it_was_is_refused(data, tmp_path):
    run_toy(config(data, tmp_path, steps=2))
    with pytest.raises(InputError, match='8 tensors of another shape: .*qkvp.lora_A'):
        resumed(data, tmp_path, rank=4)
    with pytest.raises(InputError, match='8 tensors not in the model: backbone.blocks.0.attn'):
        resumed(data, tmp_path, rank=None)


# ------------------------------------------------------------------------ the verbs


@pytest.fixture
def trained(run, data, tmp_path):
    words = ['--scratch', '--data-root', data, '--work-dir', 'run', '--lora', RANK]
    changes = ['train_cfg.max_iters=2', 'optim_wrapper.optimizer.lr=0.05']
    return run('train', TINY_SEG, *words, '--cfg-options', *changes)


def test_a_run_is_tested_opened_and_exported_like_any_other(trained, run, data, tmp_path):
    assert 'parameters are trained, the others are frozen' in trained.out
    assert Config.fromfile(tmp_path / 'run' / 'tiny_seg.py').lora == RANK
    folder = tmp_path / 'run' / 'adapter'
    assert {file.name for file in folder.iterdir()} == {CONFIG, MATRICES}
    said = [
        run('test', file, 'run', '--data-root', data, '--work-dir', 'tested').out
        for file in (TINY_SEG, tmp_path / 'run' / 'tiny_seg.py')  # the second has adapters
    ]
    metrics = [[line for line in each.splitlines() if line.startswith('mIoU')] for each in said]
    assert metrics[0]
    assert metrics[0] == metrics[1]
    dump = tmp_path / 'run' / 'tiny_seg.py'  # in a model around the one with a backbone
    run('test', dump, 'run', '--data-root', data, '--work-dir', 'tiled', '--tiles', '32')
    pictures = sorted((data / 'images' / 'val').iterdir())
    with vitbackbones.open_model(str(TINY_SEG), 'run', runtime='torch') as model:
        answers = list(model.predict(pictures))
    assert len(answers) == len(pictures)
    if torch.__version__ >= '2.11':  # 2.6 cannot read back what it exports here
        words = ['--size', '64', '--cfg-options', 'model.data_preprocessor.bgr_to_rgb=True']
        done = run('export', TINY_SEG, 'run', '--to', 'pt2', *words)
        assert 'largest differences from the model' in done.out


@torch.no_grad()
def test_the_exported_weights_are_the_adapted_ones(trained, tmp_path):
    """Adapters and base of the checkpoint, in a model with adapters, and its merged weights."""
    checkpoint = load_file(next((tmp_path / 'run').glob('iter_*.pth')))
    merged, adapted = build(Config.fromfile(TINY_SEG)), build(Config.fromfile(TINY_SEG))
    merged.load_state_dict(checkpoint['state_dict'])
    add_adapters(adapted.backbone, RANK)
    adapted.load_state_dict(checkpoint['state_dict'] | checkpoint['unmerged']['state_dict'])
    x = torch.randn(1, 3, 64, 64)
    answers = [model.eval()(x, mode='tensor').numpy() for model in (merged, adapted)]
    np.testing.assert_allclose(*answers, rtol=0, atol=1e-5)


def test_smoke_runs_with_adapters(run, tmp_path):
    assert 'smoke test passed' in run('train', TINY_SEG, '--smoke', '--lora', RANK).out


@pytest.mark.parametrize(
    ('words', 'said'),
    [
        (
            ['--freeze', 'backbone'],
            '--lora: requires a backbone that is not frozen',
        ),
        (
            ['--cache-gb', '1'],
            'only the feature maps of a frozen backbone can be cached; add --freeze b',
        ),
        (
            ['--fsdp'],
            '--fsdp: low-rank adapters are not sharded, because they are small; remove --fsdp',
        ),
        (['--freeze', '1'], '--lora: no attention or MLP layer of MSFViT is trained'),
    ],
    ids=str,
)
def test_what_does_not_go_together_is_one_message(tool, data, words, said):
    given = ['--scratch', '--data-root', data, '--lora', RANK]
    refused(tool('train', TINY_SEG, *given, *words), said)


@pytest.mark.parametrize('rank', ['0', 'many'])
def test_a_rank_that_is_none_is_refused(tool, capsys, rank):
    with pytest.raises(SystemExit):
        tool('train', TINY_SEG, '--lora', rank)
    assert 'argument --lora: ' in capsys.readouterr().err
