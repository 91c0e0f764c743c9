"""``--smoke``: any config end to end, without data and weights.

What a user runs before sending a job to a cluster. On two CPU cores it takes a quarter of a minute
for a small model and some minutes for a large one. The config keeps its model, losses, optimizer,
schedules, augmentations, hooks and metrics. What is replaced: the data by embedded ones under the
config's own class names, image sizes by small ones, score thresholds by 0, as a model that has
learned nothing is sure of nothing, and the length by a few steps. Then two runners train in turn,
the second resuming from the checkpoint of the first.
"""

import copy
import math
import time
from pathlib import Path

from mmengine.config import Config

from ..configuration.data_paths import loaders
from ..configuration.lint import dicts
from ..configuration.names import config_name
from ..configuration.settings import as_list, entries, value_at
from ..data import shapes
from ..errors import InputError
from ..preparing.work_dir import remove_checkpoints
from ..registry import SCOPE
from ..tasks import find_task
from ..training.console import QuietRunner
from ..training.find_checkpoint import latest_checkpoint
from ..training.hooks.curves import told_when_stopped
from ..utils.messages import plural
from ..utils.processes import process_rank
from .request import TrainRequest
from .result import last_metrics

SHORT_SIDE = 160
BATCH_SIZE = 2
STEPS = 3
IMAGES = {'train': BATCH_SIZE * STEPS, 'val': 4}
THRESHOLD_KEYS = ('score_thr', 'conf_thr', 'object_mask_thr')  # of a test_cfg, however deep
SIZE_KEYS = ('scale', 'scales', 'crop_size', 'size', 'stride')
# What would have no effect, and why.
REFUSED = {
    'resume': 'resumes from the checkpoint that it has just saved',
    'overwrite': 'always starts from the beginning, in its own folder',
    **dict.fromkeys(('steps', 'epochs', 'patience'), 'has its own length'),
    **dict.fromkeys(('data_root', 'annotations', 'pictures', 'masks'), 'runs on built-in data'),
    **dict.fromkeys(('size', 'batch_size', 'workers'), 'runs on small batches of small images'),
    'cache_gb': 'ends before feature maps are used again',
    'cache_views': 'ends before images are used again',
    'track': 'is too short to be followed',
}


def refuse_without_effect(request: TrainRequest) -> None:
    """Refuse options that would have no effect on a smoke test."""
    given = request.given()
    for option, why in REFUSED.items():
        if option in given:
            raise InputError(f'--smoke {why}; remove --{option.replace("_", "-")}')


def use_small_batches(config: Config) -> Config:
    """Return a copy of ``config`` with few small images in a batch, and one worker in training."""
    config = copy.deepcopy(config)
    for name, loader in loaders(config):
        if not _has_one_size(config):
            shrink_sizes(loader['dataset'])
        # one worker process in training: what goes through it must be picklable
        loader.update(num_workers=int(name.startswith('train')), batch_size=BATCH_SIZE)
        loader.update(persistent_workers=False, prefetch_factor=None)
    for part in find_task(config).sized:
        shrink_sizes(config.model.get(part) or {})
    return config


def _has_one_size(config: Config) -> bool:
    """Return whether a classifier of mmpretrain takes images of its own size alone."""
    kind = value_at(config, 'model.backbone.type') or SCOPE
    sized = value_at(config, 'model.backbone.img_size')
    return config.get('default_scope') == 'mmpretrain' and bool(sized) and SCOPE not in str(kind)


def shrink_sizes(node) -> None:
    """Reduce every size in the config of a dataset to :data:`SHORT_SIDE`, in place."""
    if isinstance(node, dict):
        node.update({key: shrink(node[key]) for key in SIZE_KEYS if key in node})
    for _, value in entries(node):
        shrink_sizes(value)


def shrink(size):
    """Return a side, a pair of sides or a list of pairs, the shorter sides at most the limit.

    >>> shrink([(1333, 800), (160, 120)])
    [(266, 160), (160, 120)]
    """
    if isinstance(size, int):
        return min(size, SHORT_SIDE)
    if not isinstance(size, list | tuple):
        return size
    if all(isinstance(side, int) for side in size):
        factor = min(1.0, SHORT_SIDE / min(size))
        return type(size)(math.floor(side * factor) for side in size)
    return type(size)(shrink(item) for item in size)


def lower_thresholds(config: Config) -> Config:
    """Return a copy of ``config`` whose model gives all boxes, whatever their scores are."""
    config = copy.deepcopy(config)
    for _, node in dicts({'model': config.model}):
        node.update({key: 0.0 for key in node if key in THRESHOLD_KEYS})
    return config


def shorten(config: Config, resumed: bool = False) -> Config:
    """Return a copy of ``config`` that trains an epoch, or :data:`STEPS` iterations.

    With ``resumed`` it trains one more.
    """
    config = copy.deepcopy(config)
    loop = config.train_cfg
    loop.pop('dynamic_intervals', None)
    by_epoch = 'max_epochs' in loop
    length = 1 if by_epoch else STEPS
    key = 'max_epochs' if by_epoch else 'max_iters'
    for schedule in as_list(config.get('param_scheduler') or []):
        if schedule.get('by_epoch', True) == by_epoch:
            schedule.setdefault('end', loop[key])  # else it is the end of the short run
    loop[key] = length + resumed
    loop.update(val_interval=length, val_begin=1)
    hooks = config.setdefault('default_hooks', {})
    checkpoint = hooks.get('checkpoint') or {'type': f'{SCOPE}.CheckpointHook'}
    hooks['checkpoint'] = {**checkpoint, 'interval': length, 'by_epoch': by_epoch, 'save_begin': 0}
    hooks['logger'] = {'type': 'LoggerHook', 'interval': 1}
    log = config.get('log_processor') or {'type': 'LogProcessor', 'by_epoch': by_epoch}
    config.log_processor = {**log, 'window_size': 1}  # the losses of the last line, no averages
    return config


def as_smoke_test(config: Config) -> Config:
    """Return a config, whose work dir is set, as a smoke test of itself.

    Its data are drawn, and the checkpoints of an earlier smoke test removed.

    Raises:
        InputError: there are no data for its task.
    """
    task = find_task(config)
    if task is None:
        scope = config.get('default_scope')
        raise InputError(f'--smoke: there are no built-in data for default_scope={scope!r}')
    # a folder for each process: none has to wait for another that writes it
    data = Path(config.work_dir, f'data_{process_rank()}').resolve()
    config = task.use_shapes(config, data)
    config.update(load_from=None, resume=False)
    shapes.write(data, **IMAGES, size=SHORT_SIDE, **task.shapes(config))
    config = shorten(lower_thresholds(use_small_batches(config)))
    if process_rank() == 0:
        remove_checkpoints(Path(config.work_dir))
    return config


def run(config: Config) -> str:
    """Train, evaluate, save and resume; return one line that says so.

    Raises:
        InputError: a loss was not finite, or the evaluation measured nothing.
    """
    start = time.perf_counter()
    first = QuietRunner.from_cfg(config)
    with told_when_stopped(first):
        first.train()
    losses = _finite_losses(first)
    measured = _first_metric(first)
    checkpoint = latest_checkpoint(Path(config.work_dir))
    longer = shorten(config, resumed=True)
    longer.update(resume=True, load_from=str(checkpoint))
    longer.update(val_cfg=None, val_dataloader=None, val_evaluator=None)
    if longer.get('visualizer'):
        longer.visualizer.pop('name', None)  # the first runner's of that name exists still
    second = QuietRunner.from_cfg(longer)
    with told_when_stopped(second):
        second.train()
    resumed = _finite_losses(second)[len(losses) :]
    return (
        f'smoke test passed in {time.perf_counter() - start:.0f} s: '
        f'{config_name(config.filename)}, {len(losses)} steps (loss {losses[0]:.3g} to '
        f'{losses[-1]:.3g}), evaluation ({measured}), {checkpoint.name}, '
        f'{plural(len(resumed), "more step")} after resuming (loss {resumed[-1]:.3g})'
    )


def _finite_losses(runner: QuietRunner) -> list[float]:
    scalars = runner.message_hub.log_scalars
    for name, history in scalars.items():
        values, _ = history.data
        bad = [step for step, value in enumerate(values, 1) if not math.isfinite(value)]
        if name.startswith('train/') and 'loss' in name and bad:
            raise InputError(f'smoke test: {name} is NaN or infinite in step {bad[0]}')
    return [float(value) for value in scalars['train/loss'].data[0]]


def _first_metric(runner: QuietRunner) -> str:
    """Return name and value of what the evaluation measured first, ``'none'`` without one."""
    if runner.val_loop is None:
        return 'none'
    measured = last_metrics(runner.message_hub)
    # COCO's -1: no such box
    if all(value == -1 or not math.isfinite(value) for value in measured.values()):
        found = ', '.join(f'{name}={value:.3g}' for name, value in measured.items()) or 'no metric'
        raise InputError(
            f'smoke test: the evaluation is empty ({found}): val_evaluator got no predictions'
        )
    name, value = next(iter(measured.items()))
    return f'{name} {value:.3f}'
