"""``tools/test.py``: evaluate a checkpoint with the config's own metrics, and draw."""

from argparse import Namespace
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from mmengine.config import Config
from tqdm import tqdm

from ..config.data import prepare_data
from ..config.lint import lint
from ..config.read import read_config, require_sections
from ..drawing.boxes import draw_detections
from ..drawing.masks import draw_masks
from ..errors import InputError
from ..files import prepare_folder
from ..openmmlab.unused_toolboxes import leave_out_unused
from ..preflight.data_checks import check_data
from ..preflight.explain import explained
from ..preflight.num_classes import check_classes
from ..preflight.pretrained import prepare_pretrained
from ..preflight.run import add_hook, prepare_run
from ..preflight.trial import try_model
from ..preflight.work_dir import prepare_work_dir
from ..processes import process_rank, show_warnings
from ..training.console import QuietRunner
from ..training.find_checkpoint import find_checkpoint
from ..training.hooks.progress import on_terminal
from .imagenet_sets import use_set

# What draws the predictions of a task, by the default scope of its configs.
DRAWERS: dict[str, Callable[[Namespace], Callable]] = {
    'mmdet': lambda options: partial(draw_detections, threshold=options.score_threshold),
    'mmseg': lambda options: draw_masks,
}


def evaluate(options: Namespace) -> None:
    """Do what ``tools/test.py --help`` describes.

    Raises:
        InputError: something of the user's is wrong; before anything is built where possible.
    """
    config = read_config(options.config, options.cfg_options)
    leave_out_unused(config)
    require_sections(config, 'model', 'test_dataloader', 'test_cfg', 'test_evaluator')
    if options.dataset:
        use_set(config, options.dataset)
    lint(config, options.cfg_options)
    check_classes(config, ('test',))
    _prepare(config, options)
    with explained(config):
        runner = QuietRunner.from_cfg(config)
        metrics = runner.test()
    if process_rank() == 0:
        print(table(metrics))
        if options.draw:
            _draw(runner, options)


def _prepare(config: Config, options: Namespace) -> None:
    checkpoint = str(find_checkpoint(options.checkpoint, 'CHECKPOINT'))
    config.update(load_from=checkpoint, resume=False)
    add_hook(config, 'FittingCheckpointHook', path=checkpoint, resume=False)
    prepare_pretrained(config, scratch=True)  # the checkpoint has all the weights
    prepare_work_dir(config, options.work_dir)
    try_model(config)
    if options.draw:
        prepare_folder(options.draw, '--draw')
        if config.get('default_scope') not in DRAWERS:
            raise InputError(f'--draw: nothing draws for default_scope={config.default_scope!r}')
    prepare_data(config, options.data_root, ('test',))
    show_warnings(check_data(config, ('test',)))
    if options.tta:
        _augment(config)
    prepare_run(config, options)


def _augment(config: Config) -> None:
    """``--tta``: predict every image in the ways of ``tta_pipeline`` and merge with ``tta_model``.

    Raises:
        InputError: the config says nothing of it.
    """
    require_sections(config, 'tta_pipeline', 'tta_model')
    config.test_dataloader.dataset.pipeline = config.tta_pipeline
    config.model = {**config.tta_model, 'module': config.model}


def table(metrics: dict) -> str:
    """The metrics that are numbers, one line each.

    >>> print(table({'coco/bbox_mAP': 0.357, 'coco/bbox_mAP_50': 0.567}))
    coco/bbox_mAP      0.357
    coco/bbox_mAP_50   0.567
    """
    kinds = (float, int, np.floating)  # mmseg's are float32
    numbers = {name: value for name, value in metrics.items() if isinstance(value, kinds)}
    width = max(map(len, numbers), default=0)
    return '\n'.join(f'{name:<{width}}  {value:6.3f}' for name, value in numbers.items())


def _draw(runner: QuietRunner, options: Namespace) -> None:
    model = getattr(runner.model, 'module', runner.model)
    draw = DRAWERS[runner.cfg.default_scope](options)
    dataset = runner.test_dataloader.dataset
    files = draw(model, dataset, Path(options.draw), options.num_pictures)
    *drawn, sheet = tqdm(files, desc='draw', leave=False, disable=not on_terminal())
    print(f'{len(drawn)} pictures in {sheet.parent}, together in {sheet}')
