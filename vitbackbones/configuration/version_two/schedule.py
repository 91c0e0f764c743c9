"""Optimizer, learning rate and length of version 2, as those of version 3.

In version 2, a warm-up multiplies the rate that the schedule gives at that step. Two schedulers of
version 3 that both begin at 0 multiply likewise.
"""

from collections.abc import Mapping
from typing import Any

from ...errors import InputError
from .tables import table

# keys of ``evaluation`` that ``train_cfg`` has now
VALIDATION = table('validation')
WARM_UP = {'linear': 'LinearLR', 'constant': 'ConstantLR'}


def train_length(config: Mapping[str, Any]) -> dict:
    """Return ``train_cfg``.

    Raises:
        InputError: the config does not say how long to train.
    """
    before = {'max_epochs': config.get('total_epochs'), 'max_iters': config.get('total_iters')}
    runner = config.get('runner') or before
    evaluation = config.get('evaluation') or {}
    interval = {VALIDATION[key]: evaluation[key] for key in VALIDATION if key in evaluation}
    if runner.get('max_iters'):
        return {'type': 'IterBasedTrainLoop', 'max_iters': runner['max_iters'], **interval}
    if not runner.get('max_epochs'):
        raise InputError('none of runner, total_epochs and total_iters says how long to train')
    return {'type': 'EpochBasedTrainLoop', 'max_epochs': runner['max_epochs'], **interval}


def optim_wrapper(config: Mapping[str, Any]) -> dict:
    """Return ``optim_wrapper``, from ``optimizer``, ``optimizer_config`` and ``fp16``."""
    optimizer = dict(config['optimizer'])
    settings = config.get('optimizer_config') or {}
    wrapper: dict[str, Any] = {'type': 'OptimWrapper'}
    scale = config.get('fp16') or settings
    half = settings.get('type') == 'Fp16OptimizerHook' or settings.get('use_fp16')  # of apex
    if half or config.get('fp16') is not None:
        wrapper = {'type': 'AmpOptimWrapper', 'loss_scale': scale.get('loss_scale', 512.0)}
    for key in ('paramwise_cfg', 'constructor'):
        if key in optimizer:
            wrapper[key] = optimizer.pop(key)
    if settings.get('grad_clip'):
        wrapper['clip_grad'] = settings['grad_clip']
    steps = settings.get('cumulative_iters') or settings.get('update_interval', 1)
    if steps > 1:
        wrapper['accumulative_counts'] = steps
    return wrapper | {'optimizer': optimizer}


def schedulers(config: Mapping[str, Any], length: Mapping[str, Any]) -> list[dict]:
    """Return ``param_scheduler``, from ``lr_config``.

    Args:
        config: of version 2.
        length: what :func:`train_length` returns.

    Raises:
        InputError: version 3 has no scheduler for the policy.
    """
    settings = config.get('lr_config')
    if not settings:
        return []
    by_epoch = settings.get('by_epoch', 'max_epochs' in length)
    if settings['policy'] == 'YOLOX':
        return _of_yolox(settings, config['optimizer']['lr'], length['max_epochs'])
    return [*_warm_up(settings), *_main(settings, by_epoch, length)]


def _warm_up(settings: Mapping[str, Any]) -> list[dict]:
    kind = settings.get('warmup')
    if kind is None:
        return []
    if kind not in WARM_UP:
        raise InputError(f'lr_config.warmup={kind!r}: write this warm-up as a param_scheduler')
    name = 'start_factor' if kind == 'linear' else 'factor'
    ends = {'by_epoch': False, 'begin': 0, 'end': settings.get('warmup_iters', 0)}
    if settings.get('warmup_by_epoch'):  # version 2 counts epochs, and warms up in each iteration
        ends |= {'by_epoch': True, 'convert_to_iter_based': True}
    return [{'type': WARM_UP[kind], name: settings.get('warmup_ratio', 0.1), **ends}]


def _main(settings: Mapping[str, Any], by_epoch: bool, length: Mapping[str, Any]) -> list[dict]:
    policy = settings['policy'].lower()
    ends: dict[str, Any] = {'by_epoch': by_epoch, 'begin': 0}
    if not by_epoch and 'max_epochs' in length and policy != 'step':
        ends = {'by_epoch': True, 'convert_to_iter_based': True, 'begin': 0}
    end = length.get('max_epochs' if ends['by_epoch'] else 'max_iters')
    ends |= {'end': end} if end else {}  # without one, a scheduler works to the end
    if policy == 'fixed':
        return []
    if policy == 'step':
        steps = settings['step']
        gamma = settings.get('gamma', 0.1)
        if isinstance(steps, int):
            return [{'type': 'StepLR', 'step_size': steps, 'gamma': gamma, **ends}]
        return [{'type': 'MultiStepLR', 'milestones': steps, 'gamma': gamma, **ends}]
    if policy == 'cosineannealing':
        names = {'min_lr': 'eta_min', 'min_lr_ratio': 'eta_min_ratio'}
        lowest = {names[key]: settings[key] for key in names if settings.get(key) is not None}
        return [{'type': 'CosineAnnealingLR', 'T_max': end, **lowest, **ends}]
    if policy == 'poly':
        powers = {'power': settings.get('power', 1.0), 'eta_min': settings.get('min_lr', 0.0)}
        return [{'type': 'PolyLR', **powers, **ends}]
    raise InputError(f'lr_config.policy={settings["policy"]!r}: write it as a param_scheduler')


def _of_yolox(settings: Mapping[str, Any], rate: float, epochs: int) -> list[dict]:
    """Return a quadratic warm-up, a cosine, and its lowest rate for the last epochs."""
    warm = settings.get('warmup_iters', 0)  # in epochs
    last = epochs - settings['num_last_epochs']
    lowest = settings['min_lr'] if settings.get('min_lr') else rate * settings['min_lr_ratio']
    ends = {'by_epoch': True, 'convert_to_iter_based': True}
    return [
        {'type': 'mmdet.QuadraticWarmupLR', 'begin': 0, 'end': warm, **ends},
        {'type': 'CosineAnnealingLR', 'eta_min': lowest, 'T_max': last, 'begin': warm, **ends}
        | {'end': last},
        {'type': 'ConstantLR', 'factor': 1, 'by_epoch': True, 'begin': last, 'end': epochs},
    ]
