"""``train --overfit N``: a few of the user's pictures, without augmentation, for a minute.

Whatever else is hard about a dataset, a few pictures are learned by heart where pictures,
annotations, model and optimizer are linked as they should be. Where that fails, the broken link is
named: by what their numbers say (:mod:`..preparing.links`) and by how the loss went.
"""

import copy
import json
import math
import time
from pathlib import Path
from typing import NamedTuple

from mmengine.config import Config
from mmengine.hooks import Hook

from ..configuration.data_paths import evaluators, first_dataset, loaders, separated
from ..configuration.settings import as_list, python_path
from ..data.checks.coco_file import load_json
from ..data.checks.findings import spread
from ..errors import InputError, printable
from ..preparing.links import broken_links
from ..training.console import QuietRunner
from ..utils.files import write_file
from ..utils.messages import command_line
from .request import TrainRequest


class Goal(NamedTuple):
    """A metric, and the value above which the pictures count as learned."""

    metric: str
    least: float


# By the toolbox: what is measured, and what counts as learned; thin parts of masks stay wrong.
GOALS = {'mmdet': Goal('coco/bbox_mAP', 0.9), 'mmseg': Goal('mIoU', 50.0)}
GOAL_OF_MASKS = Goal('coco/segm_mAP_50', 0.5)  # of objects
SHORT = 200  # steps, after which nothing is expected yet
NOTHING = 0.01 / 0.9  # of the goal: below it, a training has learned nothing
SECONDS = 60  # of a training; slow machines take their time for LEAST
LEAST = 300  # steps
MOST = 3000
EVERY = 50  # steps between evaluations
WARM_UP = 20  # steps of the rate's rise
WITHOUT_EFFECT = ('steps', 'epochs', 'patience', 'resume', 'overwrite')
WITHOUT_EFFECT += ('cache_gb', 'cache_views', 'track')
FELL = 0.7  # of the first losses, above which the last ones have not fallen
# of a training, what the command in its hint keeps
KEPT = ('data_root', 'annotations', 'pictures', 'masks', 'cfg_options')
KEPT += ('pretrained', 'scratch', 'freeze', 'lora', 'size', 'batch_size', 'lr', 'seed', 'device')


def _goal_of(config: Config) -> Goal:
    """Return the goal of a config; its metric is '' for tasks without one."""
    if any('segm' in as_list(metric.get('metric')) for _, metric in evaluators(config)):
        return GOAL_OF_MASKS
    return GOALS.get(config.get('default_scope'), Goal('', 0))


def refuse_without_effect(config: Config, request: TrainRequest) -> None:
    """Refuse options that would have no effect here, and tasks whose goal is not known."""
    if not _goal_of(config).metric or not config.get('val_dataloader'):
        raise InputError('--overfit: is only for detectors and segmentors with a validation set')
    for word in request.words(*WITHOUT_EFFECT):
        raise InputError(f'--overfit: {word} has no effect here; remove {word}')


def find_suspects(config: Config) -> list[str]:
    """Return a line for each link that looks broken, without a training; print them."""
    suspects = broken_links(config)
    for line in suspects:
        print(printable(f'suspect: {line}'), flush=True)
    return suspects


def use_few(config: Config, number: int) -> Config:
    """Return a config that trains and validates on a few training pictures, without a schedule.

    Raises:
        InputError: no picture has an object.
    """
    config = separated(config)
    dataset = copy.deepcopy(first_dataset(config, 'train'))
    loads = [step for step in dataset['pipeline'] if 'Load' in step['type']]
    steps = first_dataset(config, 'val')['pipeline']
    # a validation loads annotations last, as they stay what they are; here they must be resized
    learned = [*loads, *(step for step in steps if 'Load' not in step['type'])]
    dataset.pop('filter_cfg', None)
    if config.default_scope == 'mmdet':
        file = Path(dataset.get('data_root') or '', dataset['ann_file'])
        dataset['ann_file'] = str(_write_few(file, Path(config.work_dir), number))
        for _, metric in evaluators(config):
            metric['ann_file'] = dataset['ann_file']
    else:
        dataset['indices'] = number
    at_once = min(config.train_dataloader.get('batch_size', 1), number)
    for name, loader in loaders(config):
        is_train = name.startswith('train')
        own = {'pipeline': learned if is_train else steps, 'test_mode': not is_train}
        loader['dataset'] = {**dataset, **own}  # also where it was a wrapper of datasets
        loader.update(num_workers=0, persistent_workers=False, prefetch_factor=None)
    # pictures of segmentors are not padded to one size
    batch = at_once if config.default_scope == 'mmdet' else 1
    config.train_dataloader.update(batch_size=batch, sampler={'type': 'InfiniteSampler'})
    config.train_cfg = {'type': 'IterBasedTrainLoop', 'max_iters': MOST, 'val_interval': EVERY}
    warm_up = {'type': 'LinearLR', 'start_factor': 0.05, 'by_epoch': False, 'end': WARM_UP}
    config.param_scheduler = [warm_up | {'end_factor': batch / at_once}]  # fewer at once: slower
    hooks = config.get('custom_hooks') or []
    config.custom_hooks = [hook for hook in hooks if 'EMA' not in hook['type']]
    config.setdefault('default_hooks', {})
    config.default_hooks.update(checkpoint=None, logger={'type': 'LoggerHook', 'interval': 25})
    config.log_processor = {'type': 'LogProcessor', 'by_epoch': False}
    return config


def _write_few(file: Path, work_dir: Path, number: int) -> Path:
    """Write the annotations of a few pictures with objects, evenly spread, and return the file."""
    content = load_json(str(file))
    used = {each['image_id'] for each in content['annotations'] if not each.get('iscrowd')}
    images = [each for each in content['images'] if each['id'] in used]
    if not images:
        raise InputError(f'{file}: no image has an object, so there is nothing to learn')
    content['images'] = [images[place] for place in spread(len(images), number)]
    kept = {each['id'] for each in content['images']}
    content['annotations'] = [e for e in content['annotations'] if e['image_id'] in kept]
    few = work_dir.absolute() / 'few.json'
    write_file(few, json.dumps(content).encode())
    return few


class LearnedHook(Hook):
    """Ends a run when a metric has reached its goal, or after a minute and ``LEAST`` steps."""

    def __init__(self, metric: str, goal: float) -> None:
        self.metric = metric
        self.goal = goal
        self.best = 0.0
        self.losses = []

    def before_train(self, runner) -> None:
        self.start = time.monotonic()

    def after_train_iter(self, runner, batch_idx, data_batch=None, outputs=None) -> None:
        self.losses.append(float(outputs['loss'].detach()))
        if not math.isfinite(self.losses[-1]):
            runner.train_loop.stop_training = True

    def after_val_epoch(self, runner, metrics=None) -> None:
        self.best = max(self.best, float(metrics.get(self.metric, 0)))
        is_over = runner.iter >= LEAST and time.monotonic() - self.start > SECONDS
        runner.train_loop.stop_training |= is_over or self.best > self.goal


def run(config: Config, suspects: list[str]) -> str:
    """Train, and return what came out in one line.

    Args:
        config: of a few pictures.
        suspects: the links that look broken.

    Raises:
        InputError: the pictures were not learned; names what looks broken.
    """
    metric, goal = _goal_of(config)
    print(f'ends when {metric} is above {goal:g}, or after a minute and {LEAST} steps', flush=True)
    runner = QuietRunner.from_cfg(config)
    hook = LearnedHook(metric, goal)
    runner.register_hook(hook)
    runner.train()
    pictures = len(runner.train_dataloader.dataset)
    steps = len(hook.losses)
    said = f'{metric} {hook.best:.3f} on the {pictures} images after {steps} steps'
    if hook.best > goal:
        return f'overfit: {said}: images, annotations and settings fit together'
    lines = '\n'.join(f'  {line}' for line in suspects or [_by_losses(hook.losses)])
    raise InputError(f'--overfit: {said}, not above {goal:g}. The broken link:\n{lines}')


def _by_losses(losses: list[float]) -> str:
    """Say what losses tell where nothing else does."""
    tenth = max(1, len(losses) // 10)
    first, last = (sum(part) / tenth for part in (losses[:tenth], losses[-tenth:]))
    if not math.isfinite(last):
        return 'learning rate: the loss became NaN or infinite; divide the learning rate by ten'
    if last > FELL * first:
        return (
            f'learning rate, or frozen too much: the loss only went from {first:.3g} to '
            f'{last:.3g}; try ten times and a tenth of the learning rate, and remove --freeze'
        )
    return (
        f'none found: the loss fell from {first:.3g} to {last:.3g}, so the model learns, but '
        'slowly; inspect the images with browse'
    )


def hint(runner, request: TrainRequest) -> str:
    """Return the command of this module for a training that ended near zero, '' for others."""
    metric, goal = _goal_of(runner.cfg)
    measured = runner.message_hub.log_scalars.get(f'val/{metric}')
    if measured is None or not 0 <= measured.current() < NOTHING * goal or runner.iter < SHORT:
        return ''
    command = command_line('train', request.config, *request.words(*KEPT), '--overfit', '8')
    found = f'{metric} is only {measured.current():.3f}'
    return f'{found}. To find the cause: {python_path(runner.cfg)}{command}'
