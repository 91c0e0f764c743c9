"""Folding what is constant at inference, and leaving out what is not needed there.

* A BatchNorm right after a convolution goes into the convolution's weights.
* The circulant paths of an augmented shortcut become one matrix.
* Where only the class token is returned, the last block answers for that token alone.

All of it is exact up to rounding. Factors of branches stay where the equations have them: the
runtimes of exported graphs fold them.
"""

import warnings
from copy import deepcopy
from itertools import pairwise
from typing import TypeVar

import torch
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_eval
from torch.utils._pytree import tree_map_only

from .graphs import compile_call, require_compiler
from .parts import require_choice

Model = TypeVar('Model', bound=nn.Module)


@torch.no_grad()
def fuse_for_inference(
    model: Model, dtype: torch.dtype | None = None, compile: bool = False
) -> Model:
    """Return a copy of ``model`` in eval mode with the same outputs and fewer operations.

    Its parameters need no gradient, and state dicts of ``model`` do not fit what is folded.

    Args:
        model: any module; what is in it of this package is folded, see the module docstring.
        dtype: ``torch.bfloat16`` for a copy that computes in it and answers in float32; the model
            casts what comes in, as every backbone does. By default the model's own type.
        compile: whether to make one program of the forward pass in the first call, which then takes
            half a minute to two, see ``layers.graphs``. It is usually the fastest form for single
            images on a CPU (docs/lab/benchmarks_history.md).

    Raises:
        OptionError: another ``dtype``.
        InputError: ``compile`` is true, and there is no C++ compiler.
    """
    require_choice('dtype', dtype, (None, torch.bfloat16))
    if compile:
        require_compiler()
    model = deepcopy(model).eval()  # a BatchNorm can be folded in eval mode only
    model.__dict__.pop('made_with', None)  # no model that is made again would have its weights
    for module in list(model.modules()):
        if isinstance(module, nn.Sequential):
            for i, (before, after) in enumerate(pairwise(module)):
                if isinstance(before, nn.Conv2d) and type(after) is nn.BatchNorm2d:  # not timm's
                    module[i] = fuse_conv_bn_eval(before, after)
                    module[i + 1] = nn.Identity()
        fold = getattr(module, 'fold_for_inference', None)
        if fold is not None:
            fold()
    if dtype is not None:
        on_cpu = all(value.device.type == 'cpu' for value in model.parameters())
        if on_cpu and not computes_bfloat16():
            warnings.warn(
                'this processor emulates bfloat16, so it is slower than float32', stacklevel=3
            )
        model.to(dtype).register_forward_hook(_answer_in_float32)
    model.requires_grad_(False)
    if compile:
        compile_call(model)
    return model


def computes_bfloat16() -> bool:
    """Return whether this processor computes in bfloat16, rather than emulating it."""
    return torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()


def _answer_in_float32(model: nn.Module, inputs: tuple, outputs):
    return tree_map_only(Tensor, Tensor.float, outputs)
