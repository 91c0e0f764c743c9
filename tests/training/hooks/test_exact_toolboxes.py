"""Exact resuming with the data pipelines and models of mmdet, mmseg and mmpretrain."""

import pytest
from mmengine.config import Config

from vitbackbones.data import shapes
from vitbackbones.preparing.hooks import add_guards

from ...commands.conftest import TINY, TINY_CLS, TINY_SEG
from ...isolation import process_of_its_own
from ..toy import run_toy
from .test_exact_resume import STOPS, Killed, latest_checkpoint, state

pytestmark = pytest.mark.compat
# the random part of a pipeline, and its place
FLIP = {'type': 'RandomFlip', 'prob': 0.5}
COLOR = {'type': 'PhotoMetricDistortion'}
TINY_EOMT = TINY_SEG.with_name('tiny_eomt.py')  # masks its attention at random, ever less
NOISE = {TINY: (3, FLIP), TINY_SEG: (-1, COLOR), TINY_EOMT: (-1, COLOR), TINY_CLS: (1, FLIP)}
SAVING = {'type': 'vitbackbones.CheckpointHook', 'interval': 1}


def config(file, data, work_dir, *hooks, **changes):
    """Eight iterations of a tiny config with a worker and noise, saving every fourth."""
    settings = Config.fromfile(file)
    settings.model.backbone.update(init_cfg=None, drop_path_rate=0.5)
    train = settings.train_dataloader
    train.num_workers = 1
    train.dataset.data_root = str(data)
    train.dataset.pipeline.insert(*NOISE[file])
    length = {'by_epoch': True, 'max_epochs': 2}
    saving = SAVING
    if file in (TINY_SEG, TINY_EOMT):
        length = {'by_epoch': False, 'max_iters': 8}
        saving = SAVING | {'interval': 4, 'by_epoch': False}
    elif file == TINY_CLS:
        settings.model.train_cfg = {'augments': [{'type': 'Mixup', 'alpha': 0.8}]}
        settings.model.head.loss = {'type': 'CrossEntropyLoss', 'use_soft': True}
    settings.train_cfg = length
    settings.default_hooks.checkpoint = saving
    unused = dict.fromkeys(('val_dataloader', 'val_cfg', 'val_evaluator'))
    settings.update(work_dir=str(work_dir), custom_hooks=list(hooks), **unused, **changes)
    return add_guards(settings)


@pytest.mark.parametrize('file', NOISE, ids=lambda file: file.stem)
def test_resumed_equals_uninterrupted(tmp_path, file):
    layout = {'layout': 'folders'} if file == TINY_CLS else {}
    data = shapes.write(tmp_path / 'data', train=8, val=1, size=64, **layout)
    whole = run_toy(config(file, data, tmp_path / 'whole'))
    with process_of_its_own(), pytest.raises(Killed):
        run_toy(config(file, data, tmp_path / 'stopped', STOPS['killed']))
    latest = str(latest_checkpoint(tmp_path / 'stopped'))
    resumed = run_toy(config(file, data, tmp_path / 'stopped', resume=True, load_from=latest))
    assert state(resumed) == state(whole)
    assert len(set(state(whole)[1])) == 8
