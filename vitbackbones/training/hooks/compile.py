"""Compile the repeated parts of a network, each kind only once, for any image size.

``torch.compile`` of a whole detector, mmengine's ``compile=dict(...)``, takes minutes, and again
for every new image size. What takes the time of a step is repeated: transformer blocks, encoder and
decoder layers. Here the forward pass of each such kind is compiled by itself, with sizes left open,
and all layers with the same widths share the result ("regional compilation").

Checkpoints do not change, so a run can be continued with or without it. The last bits of the
numbers do: compiled kernels round in another order. Evaluation runs as it is.
"""

from collections.abc import Callable, Iterator
from functools import wraps
from types import MethodType

import torch
from mmengine.hooks import Hook
from torch import nn

from ...layers.graphs import allow_programs, require_compiler

# Classes, by name, whose forward pass is compiled, and so are their subclasses.
REGIONS = {
    *('Block', 'TNTBlock', 'MixerBlock'),
    *('DetrTransformerEncoderLayer', 'DetrTransformerDecoderLayer'),
    'SETRHead',
}
# Graphs of one kind of region: each width, each kind of its parts and of its inputs needs its own.
GRAPHS = 64


class CompileHook(Hook):
    """Compiles the regions of the model before training starts.

    Args:
        dynamic: whether sizes are left open from the start. ``None`` compiles the first size by
            itself and leaves them open when a second one comes.
        options: further arguments of ``torch.compile``.
    """

    def __init__(self, dynamic: bool | None = True, **options) -> None:
        self.options = {'dynamic': dynamic, **options}

    def before_train(self, runner) -> None:
        found = [*regions(runner.model)]
        if not found:
            runner.logger.warning('--compile has no effect: no part of this model can be compiled')
            return
        on_cpu = next(runner.model.parameters()).device.type == 'cpu'
        if on_cpu and self.options.get('backend', 'inductor') == 'inductor':
            require_compiler()
        allow_programs(GRAPHS)
        compiled: dict[type, Callable] = {}
        for module in found:
            kind = type(module)
            if kind not in compiled:
                program = torch.compile(kind.forward, **self.options)
                compiled[kind] = _in_training(kind.forward, program)
            # a bound method, so that a copy of the module gets one that is bound to the copy
            module.forward = MethodType(compiled[kind], module)


def regions(module: nn.Module) -> Iterator[nn.Module]:
    """Yield the outermost parts of a network that are regions."""
    if any(kind.__name__ in REGIONS for kind in type(module).__mro__):
        yield module
        return
    for child in module.children():
        yield from regions(child)


def _in_training(forward: Callable, compiled: Callable) -> Callable:
    """Return a forward pass that is the compiled one in training mode."""

    @wraps(forward)
    def run(module: nn.Module, *inputs, **options):
        return (compiled if module.training else forward)(module, *inputs, **options)

    return run
