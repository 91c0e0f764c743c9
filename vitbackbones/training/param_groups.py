"""One group of parameters for each set of options, and the optimizer's fused kernel.

With a ``paramwise_cfg`` mmengine's constructor puts every tensor into a group of its own, 100 to
540 of them, while torch's fused and foreach kernels update one group at a time. Here parameters
with equal options share a group. The weights are the same to the bit: the kernels treat every
number alone, and gradients are clipped in the order of the model.

Every run of ``train`` whose config names no constructor gets this one. It also takes torch's fused
kernel unless the optimizer of the config chooses one. The kernels differ in the last bits, so a
resumed run goes on with that of its checkpoint.
"""

import copy
import logging
from collections.abc import Callable
from functools import partial

from mmengine.config import Config
from mmengine.logging import MMLogger
from mmengine.optim import DefaultOptimWrapperConstructor, OptimWrapper
from torch import Tensor, nn
from torch.optim import Optimizer

from ..registry import GROUPED, bare_name
from .sharding import whole

# Optimizers that have a fused kernel for floating-point tensors on both of these devices.
FUSED = ('Adam', 'AdamW', 'SGD')
DEVICES = ('cpu', 'cuda')
IMPLEMENTATIONS = {'fused', 'foreach', 'differentiable'}
PER_GROUP = ('base_values', '_last_value', 'min_values')  # of the states of mmengine's schedules


def group_parameters(config: Config) -> Config:
    """Return a copy of ``config`` that names the constructor of this module if it names none."""
    config = copy.deepcopy(config)
    config.optim_wrapper.setdefault('constructor', GROUPED)
    return config


class GroupedOptimWrapperConstructor(DefaultOptimWrapperConstructor):
    """mmengine's constructor with one group for each set of options; arguments as there."""

    def __call__(self, model: nn.Module) -> OptimWrapper:
        """Build the optimizer of ``model`` and its wrapper."""
        self.optimizer_cfg = fused_option(self.optimizer_cfg, model) | self.optimizer_cfg
        log = MMLogger.get_current_instance()
        log.addFilter(_tells_more)
        try:
            wrapper = super().__call__(model)
        finally:
            log.removeFilter(_tells_more)
        sizes = [(parameter.numel(), parameter.requires_grad) for parameter in model.parameters()]
        trained = sum(size for size, learns in sizes if learns)
        total = sum(n for n, _ in sizes)
        if trained < total:
            log.info(f'{trained:,} of {total:,} parameters are trained, the others are frozen')
        if self.optim_wrapper_cfg.get('clip_grad'):
            # the norm over all gradients is a sum, whose last bit depends on the order of its terms
            wrapper.clip_func = partial(_clip_in_order, model, wrapper.clip_func)
        return wrapper

    def add_params(self, params: list[dict], module: nn.Module, prefix='', **options) -> None:
        """Add the groups of ``module``; calls itself for every part of it, with a prefix."""
        if prefix:
            super().add_params(params, module, prefix, **options)
            return
        single: list[dict] = []
        super().add_params(single, module, prefix, **options)
        self.adjust(single, module)
        params += merged(single)

    def adjust(self, single: list[dict], model: nn.Module) -> None:
        """Change the options of the groups, one for each parameter; for subclasses."""


def _clip_in_order(model: nn.Module, clip: Callable, parameters: list, **options) -> Tensor | None:
    """Clip the gradients of parameters in the order of the model, which may be sharded by now."""
    order = {parameter: number for number, parameter in enumerate(model.parameters())}
    norm = clip(sorted(parameters, key=order.__getitem__), **options)
    return norm if norm is None else whole(norm)


def _tells_more(record: logging.LogRecord) -> bool:
    """Leave out mmengine's line about each parameter that is frozen."""
    return not record.getMessage().endswith('is skipped since its requires_grad=False')


def fused_option(optimizer: dict, model: nn.Module) -> dict[str, bool]:
    """Return ``fused=True`` where torch has that kernel and ``optimizer``, a config, is open."""
    kind = optimizer['type']
    if bare_name(getattr(kind, '__name__', kind)) not in FUSED or IMPLEMENTATIONS & {*optimizer}:
        return {}
    suits = (p.is_floating_point() and p.device.type in DEVICES for p in model.parameters())
    return {'fused': True} if all(suits) else {}


def merged(groups: list[dict]) -> list[dict]:
    """Return groups with different options, in the order in which these first appear."""
    found: dict[str, dict] = {}
    for group in groups:
        options = {key: group[key] for key in group if key != 'params'}
        shared = found.setdefault(repr(sorted(options.items())), {'params': [], **options})
        shared['params'].extend(group['params'])
    return list(found.values())


# ------------------------------------------------------------------------ of a checkpoint


def regroup(checkpoint: dict, model: nn.Module, optimizer: Optimizer) -> None:
    """Join the saved groups, in place, as the optimizer has them.

    Earlier versions and mmengine's own runner save one group for each parameter. Any other
    checkpoint is left alone, and one whose options differ within what is one group now.

    Args:
        checkpoint: with the states ``optimizer`` and, if there are any, ``param_schedulers``.
        model: gives the order of the parameters, which was that of the groups.
        optimizer: what will load it.
    """
    groups = optimizer.param_groups
    saved = checkpoint['optimizer']['param_groups']
    trained = {parameter for group in groups for parameter in group['params']}
    single = all(len(group['params']) == 1 for group in saved)
    if len(saved) == len(groups) or not single or len(saved) != len(trained):
        return
    ordered = [parameter for parameter in model.parameters() if parameter in trained]
    number = {parameter: place for place, parameter in enumerate(ordered)}
    members = [[number[parameter] for parameter in group['params']] for group in groups]
    joined = [merged([saved[number] for number in numbers]) for numbers in members]
    if any(len(each) > 1 for each in joined):  # of different options
        return
    checkpoint['optimizer']['param_groups'] = [group for (group,) in joined]
    for state in checkpoint.get('param_schedulers') or ():
        for key in set(PER_GROUP) & set(state):
            beside = state[key][len(saved) :]  # mmengine's base rate
            state[key] = [state[key][numbers[0]] for numbers in members] + beside


def follow_kernel(optimizer: Optimizer) -> None:
    """Let a loss scaler treat the optimizer as the kernel of the groups that it has loaded needs.

    torch decides this when it builds the optimizer, but loading replaces all options of a group.
    A scaler hands its scale to a fused kernel; the others refuse it.
    """
    optimizer._step_supports_amp_scaling = any(g.get('fused') for g in optimizer.param_groups)
