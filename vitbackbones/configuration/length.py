"""``--steps``, ``--epochs``, ``--lr``: another length or rate, and the whole schedule follows.

A schedule is more than ``max_iters``: warm-up, milestones and cosines end where the config says, in
iterations or epochs, and so do evaluations and checkpoints. A shorter run with the old numbers ends
within its warm-up, and never evaluates. Some schedules end at a rate of their own, and OneCycleLR
never reads that of the optimizer.
"""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mmengine.config import Config

from ..errors import InputError
from ..utils.rules import is_number
from .lint import dicts
from .settings import as_list, type_at, value_at

ENDLESS = 10**9  # mmengine's number for "to the end"
# Numbers of iterations or epochs in schedules, beside begin, end and T_max, and in hooks.
OF_SCHEDULES = ('milestones', 'periods', 'step_size', 'total_steps')
OF_HOOKS = ('begin_iter', 'begin_epoch', 'switch_iter', 'switch_epoch', 'num_last_epochs')
OF_HOOKS += ('action_iter', 'action_epoch', 'start_iters', 'save_begin')
RATES = ('eta_min', 'eta_max', 'min_value')  # of schedules of learning rates
RAMPS = ('LinearLR', 'ConstantLR', 'LinearMomentum', 'ConstantMomentum')


@dataclass(frozen=True)
class Length:
    """The lengths of a run, in iterations (``max_iters``) or epochs (``max_epochs``)."""

    key: str
    before: int
    now: int

    @property
    def by_epoch(self) -> bool:
        return self.key == 'max_epochs'

    def scaled(self, value: Any, least: int = 1) -> Any:
        """Return numbers of iterations or epochs at their places in the run; others as they are."""
        if isinstance(value, list | tuple):
            return type(value)(self.scaled(each, least) for each in value)  # loops ask for tuples
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not 0 < value < ENDLESS:
            return value
        place = round(value * self.now / self.before)
        if value < self.before:  # as the last decay, which would have no effect at the end
            place = min(place, self.now - 1)
        return max(least, place)


def with_length(config: Config, steps: int | None = None, epochs: int | None = None) -> Config:
    """Return a copy of a config that trains for ``steps`` iterations, or ``epochs``.

    Learning rates, evaluations, checkpoints and hooks keep their places as parts of the run.

    Raises:
        InputError: the config counts in the other unit.
    """
    if steps is None and epochs is None:
        return config
    length = _length(config, steps, epochs)
    config = copy.deepcopy(config)
    loop = config.train_cfg
    loop[length.key] = length.now
    for key in ('val_interval', 'val_begin', 'dynamic_intervals'):
        if key in loop:
            loop[key] = length.scaled(loop[key])
    if config.get('param_scheduler'):
        config.param_scheduler = scaled_schedules(as_list(config.param_scheduler), length)
    _scale_hooks(config, length)
    return config


def with_rate(config: Config, lr: float | None) -> Config:
    """Return a copy of a config whose schedules fit another learning rate of the optimizer."""
    before = value_at(config, 'optim_wrapper.optimizer.lr')
    if lr is None or not is_number(before):
        return config
    config = copy.deepcopy(config)
    for schedule in as_list(config.get('param_scheduler') or []):
        for key in RATES if type_at(schedule).endswith('LR') else ():
            if is_number(schedule.get(key)):
                schedule[key] *= lr / before
    return config


def _length(config: Config, steps: int | None, epochs: int | None) -> Length:
    loop = config.get('train_cfg') or {}
    option, key, now = '--epochs', 'max_epochs', epochs
    if steps is not None:
        option, key, now = '--steps', 'max_iters', steps
    other = {'--steps': 'epochs', '--epochs': 'steps'}[option]
    before = loop.get(key)
    if not isinstance(before, int) or before < 1:
        counted = f'is in {other}; use --{other}' if len(loop) else 'has no train_cfg'
        raise InputError(f'{option}: {config.filename} {counted}')
    return Length(key, before, now)


def scaled_schedules(schedules: Sequence[Mapping], length: Length) -> list[dict]:
    """Return the schedules of learning rates for a run of another length.

    One that begins where another ends still does. A ramp takes at least its first and its last
    step: with one alone the rate would stay at its beginning. A run too short for that has none.
    """
    ends: dict[tuple[bool, int], int] = {}  # of ramps, by their units: the new ones by the old
    scaled = [_scaled_schedule(each, length, ends) for each in schedules]
    return [each for each in scaled if each is not None]


def _scaled_schedule(
    schedule: Mapping, length: Length, ends: dict[tuple[bool, int], int]
) -> dict | None:
    by_epoch = schedule.get('by_epoch', True)
    begin = schedule.get('begin', 0)
    end = schedule.get('end')
    is_ramp = type_at(schedule) in RAMPS
    shortest = 2 if is_ramp and not schedule.get('convert_to_iter_based') else 1
    new_begin = ends.get((by_epoch, begin), length.scaled(begin, least=0))
    if by_epoch == length.by_epoch and new_begin + shortest > length.now:
        return None
    new = {**schedule, 'begin': new_begin}
    if isinstance(end, int) and end < ENDLESS:
        new['end'] = length.scaled(end, least=new_begin + shortest)
        if is_ramp:
            ends[by_epoch, end] = new['end']
    for key in OF_SCHEDULES:
        if key in schedule:
            new[key] = length.scaled(schedule[key])
    if type_at(schedule).startswith('Exponential'):
        new['gamma'] = schedule['gamma'] ** (length.before / length.now)
    if 'T_max' in schedule and end is not None and schedule['T_max'] == end - begin:
        new['T_max'] = new['end'] - new_begin
    elif 'T_max' in schedule:
        new['T_max'] = length.scaled(schedule['T_max'])
    return new


def _scale_hooks(config: Config, length: Length) -> None:
    for place, hook in dicts(config):
        if not place.startswith(('default_hooks.', 'custom_hooks.')):
            continue
        for key in OF_HOOKS:
            if key in hook:
                hook[key] = length.scaled(hook[key])
        if 'CheckpointHook' in type_at(hook) and 'interval' in hook:
            hook['interval'] = length.scaled(hook['interval'])
    logger = value_at(config, 'default_hooks.logger')
    if logger and not length.by_epoch and isinstance(logger.get('interval'), int):
        logger['interval'] = min(logger['interval'], length.now)  # one line of losses at least
