"""``--patience``: stop a training when its evaluations show no gain any more."""

from mmengine.config import Config

from ..configuration.data_paths import evaluators
from ..configuration.settings import as_list, type_at, value_at
from ..errors import InputError
from ..tasks import find_task
from ..utils.messages import plural
from .hooks import add_hooks


def stop_early(config: Config, patience: int | None) -> Config:
    """Return a copy of a config that stops after ``patience`` evaluations without a gain.

    It watches the metric of ``save_best``, so the best checkpoint is saved, too.

    Raises:
        InputError: there are too few evaluations, or the metric is not known.
    """
    if patience is None:
        return config
    evaluations = _count_evaluations(config)
    if evaluations <= patience + 1:  # the first is the one to compare with
        raise InputError(
            f'--patience {patience}: this training has only {plural(evaluations, "evaluation")}, '
            'so it would never stop early; train longer, or evaluate more often with '
            '--cfg-options train_cfg.val_interval=N'
        )
    saved = {'type': 'CheckpointHook', 'interval': 1}
    checkpoint = value_at(config, 'default_hooks.checkpoint') or saved
    metric = _metric_of(config, as_list(checkpoint.get('save_best') or 'auto')[0])
    rule = as_list(checkpoint.get('rule'))[0]
    config = add_hooks(config, 'EarlyStoppingHook', monitor=metric, rule=rule, patience=patience)
    kept = checkpoint.get('save_best') or metric
    config.default_hooks.checkpoint = {**checkpoint, 'save_best': kept}
    return config


def _count_evaluations(config: Config) -> int:
    if config.get('val_cfg') is None:
        return 0
    loop = config.train_cfg
    length = loop.get('max_iters') or loop.get('max_epochs')
    interval = loop.get('val_interval', 1)
    steps = {*range(interval, length, interval), length}
    return sum(step >= loop.get('val_begin', 1) for step in steps)


def _metric_of(config: Config, named: str) -> str:
    """Return the metric that ``save_best`` names, the first that is measured for ``'auto'``."""
    if named != 'auto':
        return named
    task = find_task(config)
    measured = task.measured if task else {}
    for _, metric in evaluators(config, ('val',)):
        if names := measured.get(type_at(metric), lambda _: None)(metric):
            return names[0]
    raise InputError(
        '--patience: give the metric to watch with --cfg-options '
        'default_hooks.checkpoint.save_best=NAME'
    )
