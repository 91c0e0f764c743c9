"""``--smoke``: any config end to end, without data and weights.

What a user runs before sending a job to a cluster. On two CPU cores it takes a quarter of a minute
for a small model and some minutes for a large one. The config keeps its model, losses, optimizer,
schedules, augmentations, hooks and metrics. What is replaced: the data by embedded ones under the
config's own class names, image sizes by small ones, score thresholds by 0, as a model that has
learned nothing is sure of nothing, and the length by a few steps. Then two runners train in turn,
the second resuming from the checkpoint of the first.
"""

import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from mmengine.config import Config

from ..config.data import datasets, evaluators, loaders
from ..config.lookup import OURS
from ..datasets import shapes
from ..errors import InputError
from ..preflight.num_classes import class_names
from ..processes import process_rank
from ..training.console import QuietRunner
from ..training.find_checkpoint import latest_checkpoint

SHORT_SIDE = 160
BATCH_SIZE = 2
STEPS = 3
IMAGES = {'train': BATCH_SIZE * STEPS, 'val': 4}
SIZE_KEYS = ('scale', 'scales', 'crop_size', 'size', 'stride')


# ------------------------------------------------------------------------ embedded data


def _class_names(config: Config) -> Sequence[str]:
    _, trained_on = next(datasets(config, ('train',)))
    return class_names(config, trained_on)[1]


def _use_boxes(config: Config, folder: Path) -> None:
    """Detection: the Shapes data set, under the class names of the config's own data set."""
    root = shapes.write(folder, **IMAGES, size=SHORT_SIDE, classes=_class_names(config))
    for path, dataset in datasets(config):
        split = 'train' if path.startswith('train') else 'val'
        dataset.update(
            data_root=str(root),
            ann_file=f'annotations/instances_{split}.json',
            data_prefix={'img': f'images/{split}/'},
        )
    for _, metric in evaluators(config):
        if 'ann_file' in metric:
            metric['ann_file'] = str(root / 'annotations' / 'instances_val.json')


def _use_folders(config: Config, folder: Path) -> None:
    """Classification: Shapes in class folders; most outputs of a large head have no example."""
    classes = shapes.KINDS[: config.model.head.num_classes]
    root = shapes.write(folder, **IMAGES, size=SHORT_SIDE, classes=classes, layout='folders')
    for path, dataset in datasets(config):
        steps = list(dataset.pipeline)
        if 'LoadImage' not in steps[0].type:  # CIFAR's data sets hold decoded pictures
            steps.insert(0, {'type': f'{OURS}.LoadImage'})
        dataset.clear()
        split = 'train' if path.startswith('train') else 'val'
        dataset.update(type='CustomDataset', data_root=str(root), data_prefix=split, pipeline=steps)


def _use_masks(config: Config, folder: Path) -> None:
    """Segmentation: the masks of Shapes, with the config's first classes in place of theirs."""
    classes = _class_names(config)
    root = shapes.write(folder, **IMAGES, size=SHORT_SIDE, classes=classes[1:])
    for path, dataset in datasets(config):
        split = 'train' if path.startswith('train') else 'val'
        kept = {key: dataset[key] for key in ('pipeline', 'test_mode') if key in dataset}
        dataset.clear()  # suffixes, lists and subsets belong to the files of the config's data
        dataset.update(
            type='mmseg.BaseSegDataset',
            data_root=str(root),
            data_prefix={'img_path': f'images/{split}', 'seg_map_path': f'annotations/{split}'},
            metainfo={'classes': classes},
            reduce_zero_label=True,
            **kept,
        )
    for part in ('data_preprocessor', 'test_cfg'):
        shrink_sizes(config.model.get(part) or {})


# What is trained on, by the default scope of the configs of a task.
EMBEDDED_DATA: dict[str, Callable[[Config, Path], None]] = {
    'mmdet': _use_boxes,
    'mmpretrain': _use_folders,
    'mmseg': _use_masks,
}


# ------------------------------------------------------------------------ image sizes


def shrink_sizes(node) -> None:
    """Reduce every size in the config of a data set to :data:`SHORT_SIDE`, in place."""
    if isinstance(node, dict):
        node.update({key: shrink(node[key]) for key in SIZE_KEYS if key in node})
    for value in node.values() if isinstance(node, dict) else node:
        if isinstance(value, dict | list | tuple):
            shrink_sizes(value)


def shrink(size):
    """A side, a pair of sides or a list of pairs, the shorter sides at most the limit.

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


# ------------------------------------------------------------------------ thresholds


def lower_thresholds(node) -> None:
    """Set every least score in a model's ``test_cfg`` to 0, in place: all boxes are evaluated."""
    if isinstance(node, dict) and 'score_thr' in node:
        node['score_thr'] = 0.0
    for value in node.values() if isinstance(node, dict) else ():
        lower_thresholds(value)


# ------------------------------------------------------------------------ length


def _set_length(config: Config, resumed: bool) -> None:
    """One epoch of :data:`STEPS` iterations, or as many iterations; one more when resumed."""
    loop = config.train_cfg
    loop.pop('dynamic_intervals', None)
    by_epoch = 'max_epochs' in loop
    length = 1 if by_epoch else STEPS
    loop.update({'max_epochs' if by_epoch else 'max_iters': length + resumed})
    loop.update(val_interval=length, val_begin=1)
    hooks = config.setdefault('default_hooks', {})
    checkpoint = hooks.get('checkpoint') or {'type': f'{OURS}.CheckpointHook'}
    hooks['checkpoint'] = {**checkpoint, 'interval': length, 'by_epoch': by_epoch, 'save_begin': 0}
    hooks['logger'] = {'type': 'LoggerHook', 'interval': 1}


# ------------------------------------------------------------------------ the run


def rewrite(config: Config) -> None:
    """Turn ``config``, whose work dir is set, into a smoke test of itself, in place.

    Raises:
        InputError: there are no embedded data for its task.
    """
    scope = config.get('default_scope')
    if scope not in EMBEDDED_DATA:
        raise InputError(f'--smoke: there are no embedded data for default_scope={scope!r}')
    # a folder for each process: none has to wait for another that writes it
    EMBEDDED_DATA[scope](config, Path(config.work_dir, f'data_{process_rank()}'))
    for name, loader in loaders(config):
        shrink_sizes(loader['dataset'])
        # one worker process in training: what goes through it must be picklable
        loader.update(num_workers=int(name.startswith('train')), batch_size=BATCH_SIZE)
        loader.update(persistent_workers=False, prefetch_factor=None)
    config.update(load_from=None, resume=False)
    lower_thresholds(config.model.get('test_cfg'))
    _set_length(config, resumed=False)


def run(config: Config) -> str:
    """Train, evaluate, save and resume; return one line that says so.

    Raises:
        InputError: a loss was not finite, or the evaluation measured nothing.
    """
    start = time.perf_counter()
    first = QuietRunner.from_cfg(config)
    first.train()
    losses, measured = _finite_losses(first), _first_metric(first)
    checkpoint = latest_checkpoint(Path(config.work_dir))
    _set_length(config, resumed=True)
    config.update(resume=True, load_from=str(checkpoint))
    config.update(val_cfg=None, val_dataloader=None, val_evaluator=None)
    if config.get('visualizer'):
        config.visualizer.pop('name', None)  # the first runner's of that name exists still
    second = QuietRunner.from_cfg(config)
    second.train()
    resumed = _finite_losses(second)[len(losses) :]
    return (
        f'smoke test passed in {time.perf_counter() - start:.0f} s: {Path(config.filename).name}, '
        f'{len(losses)} steps (loss {losses[0]:.3g} to {losses[-1]:.3g}), '
        f'evaluation ({measured}), {checkpoint.name}, '
        f'{len(resumed)} more after resuming (loss {resumed[-1]:.3g})'
    )


def _finite_losses(runner: QuietRunner) -> list[float]:
    scalars = runner.message_hub.log_scalars
    for name, history in scalars.items():
        values, _ = history.data
        bad = [step for step, value in enumerate(values, 1) if not math.isfinite(value)]
        if name.startswith('train/') and 'loss' in name and bad:
            raise InputError(f'smoke test: {name} is not finite in step {bad[0]}')
    return [float(value) for value in scalars['train/loss'].data[0]]


def _first_metric(runner: QuietRunner) -> str:
    """Name and value of what the evaluation measured first; ``'none'`` if the config has none."""
    if runner.val_loop is None:
        return 'none'
    scalars = runner.message_hub.log_scalars
    measured = {
        name.removeprefix('val/'): scalars[name].current()
        for name in scalars
        if name.startswith('val/') and 'time' not in name
    }
    # COCO's -1: no such box
    if all(value == -1 or not math.isfinite(value) for value in measured.values()):
        found = ', '.join(f'{name}={value:.3g}' for name, value in measured.items()) or 'no metric'
        raise InputError(
            f'smoke test: the evaluation is empty ({found}): no prediction reached val_evaluator'
        )
    name, value = next(iter(measured.items()))
    return f'{name} {value:.3f}'
