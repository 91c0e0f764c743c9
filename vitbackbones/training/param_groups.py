"""One group of parameters for each set of options, and the optimizer's fused kernel.

With a ``paramwise_cfg`` mmengine's constructor puts every tensor into a group of its own, 100 to
540 of them, while torch's fused and foreach kernels update one group at a time. Here parameters
with equal options share a group, so a step is a few calls. Its weights are the same to the bit:
the kernels treat every number alone, and gradients are clipped in the order of the model.

Every run of ``train`` whose config names no constructor gets this one. It also takes
torch's fused kernel unless the config chooses an implementation itself (``fused``, ``foreach`` or
``differentiable`` of the optimizer). The kernels of torch differ in the last bits. A resumed run
goes on with the one of its checkpoint.
"""

import copy
from collections.abc import Callable, Iterable

from mmengine.config import Config
from mmengine.optim import DefaultOptimWrapperConstructor, OptimWrapper
from torch import Tensor, nn

from ..registry import GROUPED, bare_name

# Optimizers that have a fused kernel for floating-point tensors on both of these devices.
FUSED = ('Adam', 'AdamW', 'SGD')
DEVICES = ('cpu', 'cuda')
IMPLEMENTATIONS = {'fused', 'foreach', 'differentiable'}


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
        wrapper = super().__call__(model)
        if self.optim_wrapper_cfg.get('clip_grad'):
            wrapper.clip_func = in_order(wrapper.clip_func, model.parameters())
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


def fused_option(optimizer: dict, model: nn.Module) -> dict[str, bool]:
    """Return ``fused=True`` where torch has that kernel and ``optimizer``, a config, is open."""
    kind = optimizer['type']
    known = bare_name(getattr(kind, '__name__', kind)) in FUSED
    able = known and not IMPLEMENTATIONS & set(optimizer)
    suits = (p.is_floating_point() and p.device.type in DEVICES for p in model.parameters())
    return {'fused': True} if able and all(suits) else {}


def merged(groups: list[dict]) -> list[dict]:
    """Return groups with different options, in the order in which these first appear."""
    found: dict[str, dict] = {}
    for group in groups:
        options = {key: group[key] for key in group if key != 'params'}
        shared = found.setdefault(repr(sorted(options.items())), {'params': [], **options})
        shared['params'].extend(group['params'])
    return list(found.values())


def in_order(clip: Callable, parameters: Iterable[nn.Parameter]) -> Callable:
    """Return ``clip`` for tensors in the order of ``parameters``.

    The norm over all gradients is a sum, whose last bit depends on the order of its terms.
    """
    place = {parameter: number for number, parameter in enumerate(parameters)}

    def clip_in_order(tensors: list[Tensor], **options) -> Tensor | None:
        return clip(sorted(tensors, key=place.__getitem__), **options)

    return clip_in_order
