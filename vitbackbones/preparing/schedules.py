"""What a run does over its length: learning rates, evaluations and checkpoints, before it starts.

A schedule that falls to zero on the first day, or rises, is a run that learns nothing, and no error
tells. So the schedules of a config are stepped through with the rates of its groups, by mmengine's
own classes.
"""

import copy
import math
from collections.abc import Iterator, Mapping

import torch
from mmengine.optim import _ParamScheduler  # this import registers them
from mmengine.registry import PARAM_SCHEDULERS, DefaultScope

from ..configuration.data_paths import loaders
from ..configuration.settings import as_list, type_at, value_at
from ..openmmlab.logs import silenced

STEPS = 1000  # that are tried; of a longer run all numbers of iterations are made smaller
MOST = 20 * STEPS  # that may be tried, where iterations of an epoch or epochs are many
ITERATIONS = ('begin', 'end', 'T_max', 'step_size', 'milestones', 'periods', 'total_steps')
SOME = 1e-4  # of the highest base rate: less is next to nothing
NOTHING = 1e-6  # of it: this counts as 0
LEARNS = 0.5  # of the run must have a rate above 0
FALLS = 1.01  # times its beginning: the highest rate of a run that ends with it
ENDLESS = ('InfiniteSampler', 'MultiSourceSampler', 'GroupMultiSourceSampler')
ONCE = ('ParamSchedulerHook', 'ExactResumeHook')  # a second one steps the schedules twice


def length_rules(config: Mapping) -> Iterator[str]:
    """Yield what is wrong with schedules, evaluations and checkpoints of a run of this length."""
    loop = config.get('train_cfg') or {}
    by_iterations = 'max_iters' in loop
    unit = 'iterations' if by_iterations else 'epochs'
    length = loop.get('max_iters' if by_iterations else 'max_epochs')
    if not isinstance(length, int | float) or isinstance(length, bool) or length < 1:
        return  # the schema says so
    begin = loop.get('val_begin', 1)
    if isinstance(begin, int) and begin > length and config.get('val_cfg') is not None:
        yield f'train_cfg.val_begin: is {begin}, after the end of a run of {length} {unit}'
    hook = value_at(config, 'default_hooks.checkpoint') or {}
    if by_iterations and hook and hook.get('by_epoch', True):  # its default
        yield (
            'default_hooks.checkpoint.by_epoch: must be False in a run of iterations; otherwise '
            'it saves only at the end'
        )
    for name, loader in loaders(config):
        sampler = type_at(loader.get('sampler'))
        if sampler in ENDLESS and not (by_iterations and name == 'train_dataloader'):
            yield f'{name}.sampler.type: {sampler} never ends an epoch; use DefaultSampler'
    for place, hook in enumerate(config.get('custom_hooks') or []):
        if type_at(hook) in ONCE:
            yield f'custom_hooks.{place}: every run already has {type_at(hook)}; remove this one'
    yield from _schedule_findings(config, int(length), by_iterations)


def _schedule_findings(config: Mapping, length: int, by_iterations: bool) -> Iterator[str]:
    optimizer = value_at(config, 'optim_wrapper.optimizer')
    schedules = [each for each in as_list(config.get('param_scheduler') or []) if type_at(each)]
    if not isinstance(optimizer, Mapping):
        return
    rates = base_rates(config)
    if not any(rates):
        yield 'optim_wrapper.optimizer.lr: is 0, so the run learns nothing'
        return
    begins = [
        each.get('begin') or 0
        for each in schedules
        if each.get('by_epoch', True) != by_iterations  # in the unit of the run
    ]
    if begins and len(begins) == len(schedules) and min(begins) >= length:
        yield f'param_scheduler.0.begin: is {begins[0]}, at or after the end of the run'
    of_rates = [item for item in enumerate(schedules) if type_at(item[1]).endswith('LR')]
    for place, each in of_rates[-1:]:  # one before it may rise and fall again
        if (lowest := each.get('eta_min') or 0) > max(rates):
            yield (
                f'param_scheduler.{place}.eta_min: is {lowest}, above the learning rate of '
                f'{max(rates):g}'
            )
    never = [
        place
        for place, each in enumerate(schedules)
        if by_iterations and each.get('by_epoch', True) and not each.get('convert_to_iter_based')
    ]
    for place in never:
        yield (
            f'param_scheduler.{place}.by_epoch: must be False in a run of iterations; otherwise '
            f'{type_at(schedules[place])} has no effect'
        )
    if never or not by_iterations and length > MOST:
        return
    try:
        with silenced(), DefaultScope.overwrite_default_scope(config.get('default_scope')):
            seen = simulated(schedules, rates, length, by_iterations)
    except (ArithmeticError, AssertionError, LookupError, TypeError, ValueError) as error:
        yield f'param_scheduler: {type(error).__name__}: {" ".join(str(error).split())}'
        return
    if len(seen) > 1:  # one step is a trial
        yield from _wrong_rates(seen, rates)


def base_rates(config: Mapping) -> list[float]:
    """Return the learning rates that groups of parameters begin with, as far as a config tells."""
    lr = value_at(config, 'optim_wrapper.optimizer.lr')
    keys = value_at(config, 'optim_wrapper.paramwise_cfg.custom_keys') or {}
    factors = [value_at(options, 'lr_mult') for options in keys.values()]
    lr = 1e-3 if lr is None else lr  # of the optimizer
    numbers = [lr, *(factor * lr for factor in factors if isinstance(factor, int | float))]
    return [float(number) for number in numbers if isinstance(number, int | float)]


def simulated(
    schedules: list[Mapping], rates: list[float], length: int, by_iterations: bool
) -> list[list[float]]:
    """Return the rates of each group at each step of a run with these ``schedules``.

    Args:
        schedules: the configs of all of them.
        rates: that the groups begin with.
        length: of the run, in iterations or epochs.
        by_iterations: in which of them.

    Raises:
        Exception: what mmengine raises of arguments that it cannot use.
    """
    factor = math.ceil(length / STEPS) if by_iterations else 1
    steps = length // factor if by_iterations else length
    inside = 1 if by_iterations else math.ceil(_iterations(schedules) / length)  # of an epoch
    groups = [{'params': [torch.zeros(1)], 'lr': rate} for rate in rates]
    optimizer = torch.optim.SGD(groups, lr=max(rates), momentum=0.9)
    optimizer.step()
    built: list[_ParamScheduler] = []
    for each in schedules:
        settings = copy.deepcopy(dict(each))
        if 'ReduceOnPlateau' in type_at(each):  # follows a metric
            continue
        if by_iterations:
            settings |= {k: _shorter(settings[k], factor) for k in ITERATIONS if k in settings}
        settings.setdefault('end', steps if settings.get('by_epoch', True) else steps * inside)
        known = {'optimizer': optimizer, 'epoch_length': inside}
        built.append(PARAM_SCHEDULERS.build(settings, default_args=known))
    seen = [[group['lr'] for group in optimizer.param_groups]]
    for number in range(1, steps * inside):
        for schedule in built:
            if not schedule.by_epoch or number % inside == 0:
                schedule.step()
        seen.append([group['lr'] for group in optimizer.param_groups])
    return seen


def _iterations(schedules: list[Mapping]) -> int:
    """Return the last iteration that schedules by iterations name: data are not counted yet."""
    given = [each for each in schedules if not each.get('by_epoch', True)]
    named = [each.get(key) for each in given for key in ('end', 'T_max', 'total_steps')]
    return min(max((n for n in named if isinstance(n, int)), default=STEPS), MOST)


def _shorter(value, factor: int):
    if isinstance(value, list | tuple):
        return [_shorter(each, factor) for each in value]
    return math.ceil(value / factor) if isinstance(value, int | float) and value > 0 else value


def _wrong_rates(seen: list[list[float]], rates: list[float]) -> Iterator[str]:
    """Yield what is wrong with the rates of the groups of a run, by :func:`simulated`."""
    values = [rate for step in seen for rate in step]
    if not all(math.isfinite(rate) for rate in values):
        yield 'param_scheduler: gives a learning rate that is NaN or infinite'
    elif min(values) < 0:
        yield f'param_scheduler: gives a learning rate below 0, {min(values):.3g}'
    elif max(values) < SOME * max(rates):
        yield (
            f'param_scheduler: the learning rate is never above {max(values):.3g}, but '
            f'optim_wrapper.optimizer.lr is {max(rates):g}, so the run learns nothing'
        )
    elif max(seen[-1]) > FALLS * max(rates) and max(seen[-1]) == max(values):
        yield (
            f'param_scheduler: the learning rate rises from {max(rates):g} to {max(seen[-1]):.3g} '
            'at the end of the run'
        )
    elif (part := sum(max(step) > NOTHING * max(rates) for step in seen) / len(seen)) < LEARNS:
        yield (
            f'param_scheduler: the learning rate is above 0 in only {part:.0%} of the run; let '
            'the schedules end with train_cfg'
        )
