"""Folding what is constant at inference, and leaving out what is not needed there.

* A BatchNorm right after a convolution goes into the convolution's weights.
* A factor of a residual branch (SReT's learned coefficient, Aug-ViT's 3/4) goes into the branch's
  last linear layer; the identity's factor stays in the one addition that is left.
* Activations and residual sums are written over memory that nobody reads again.
* Where only the class token is returned, the last block answers for that token alone.

Only what is exact (up to rounding) is folded, and only what the parts support (``layers.parts``);
every other part stays as it is. The affine part of a LayerNorm could go into the linear layers
after it, but that makes the norm slower, not faster.
"""

import warnings
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from functools import partial
from itertools import chain, pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.module import _global_forward_hooks, _global_forward_pre_hooks
from torch.nn.utils.fusion import fuse_conv_bn_eval
from torch.utils._pytree import tree_map_only

from ...errors import OptionError
from ..parts import require_choice, supports
from .compiled import compile_call, require_compiler
from .pack import ClosingSum, PackedLinear, add_scaled, pack_linears, should_pack


@torch.no_grad()
def fuse_for_inference(
    model: nn.Module,
    pack: bool | str = 'auto',
    dtype: torch.dtype | None = None,
    compile: bool = False,
) -> nn.Module:
    """Return a copy of ``model`` in eval mode with the same outputs and fewer operations.

    The copy cannot be trained further or loaded into.

    Args:
        model: any module; what is in it of this package is folded, see the module docstring.
        pack: whether linear layers keep their weights laid out for the kernels of the CPU, see
            ``layers.inference.pack``; ``'auto'`` where this machine and torch can.
        dtype: ``torch.bfloat16`` for a copy that computes in it: what comes in is cast to it, and
            what goes out to float32. Factors and norms are folded before. By default the
            model's own type.
        compile: whether to make one program of the forward pass in the first call, which then takes
            half a minute to two, see ``layers.inference.compiled``. It is usually the fastest form
            for single images on a CPU (docs/benchmarks.md).

    Raises:
        OptionError: ``pack`` is true, and this machine cannot; or another ``dtype``.
        InputError: ``compile`` is true, and there is no C++ compiler.
    """
    require_choice('dtype', dtype, (None, torch.bfloat16))
    packs = should_pack(pack)
    if compile:
        require_compiler()
    model = deepcopy(model).eval()  # a BatchNorm can be folded in eval mode only
    shared = _held_twice(model) | {id(module) for module in model.modules() if has_hook(module)}
    for module in list(model.modules()):
        if isinstance(module, nn.Sequential):
            _fold_norms(module)
        if hasattr(module, 'fold_for_inference'):
            module.fold_for_inference()
        if supports(module, 'chain'):
            _write_over_inputs(module)
    for module, name, branch in _residuals(model):
        last, shortcut = _own_last_linear(branch, shared), getattr(module, name)
        if last is not None and supports(shortcut, 'fold_into'):
            setattr(module, name, shortcut.fold_into(last))
    if packs:
        pack_linears(model)
        for module in model.modules():
            if supports(module, 'chain'):
                _activate_in_linears(module, shared)
        for module, name, branch in _residuals(model):
            _defer_to_sum(module, name, branch, shared)
    if dtype is not None:
        _compute_in(model, dtype)
    model.requires_grad_(False).eval()
    _seal(model)
    if compile:
        compile_call(model)
    return model


def _held_twice(model: nn.Module) -> set[int]:
    """Return the ids of the modules and parameters that more than one module holds."""
    holders = Counter(
        id(part)
        for module in model.modules()
        for part in chain(module.children(), module.parameters(recurse=False))
    )
    return {part for part, count in holders.items() if count > 1}


def has_hook(*modules: nn.Module) -> bool:
    """Return whether a hook reads or replaces what goes into or comes out of one of ``modules``."""
    of_all = _global_forward_hooks or _global_forward_pre_hooks
    return bool(of_all) or any(x._forward_hooks or x._forward_pre_hooks for x in modules)


def _fold_norms(layers: nn.Sequential) -> None:
    for i in range(1, len(layers)):
        if isinstance(layers[i - 1], nn.Conv2d) and isinstance(layers[i], nn.BatchNorm2d):
            layers[i - 1] = fuse_conv_bn_eval(layers[i - 1], layers[i])
            layers[i] = nn.Identity()


def _write_over_inputs(mlp: nn.Module) -> None:
    """Let the GELUs of a chain overwrite their inputs, which nothing else reads."""
    for before, name in pairwise(mlp.chain):
        linear, activation = getattr(mlp, before), getattr(mlp, name)
        if type(activation) is nn.GELU and not has_hook(linear, activation):
            setattr(mlp, name, InPlaceGELU())


def _residuals(model: nn.Module) -> Iterator[tuple[nn.Module, str, nn.Module]]:
    """Yield each module with shortcuts, the name of one, and the branch that it closes."""
    for module in list(model.modules()):
        if supports(module, 'residuals'):
            for shortcut, branch in module.residuals.items():
                yield module, shortcut, getattr(module, branch)


def _own_last_linear(branch: nn.Module, shared: set[int]) -> nn.Linear | None:
    """Return the linear layer that ends ``branch``; ``None`` unless it serves nothing else.

    A hook on either is something else. A subclass, such as one with a parametrized weight or an
    adapter, may do more than its weight says.
    """
    last = branch.last_linear if supports(branch, 'last_linear') else None
    if type(last) not in (nn.Linear, PackedLinear) or 'weight' not in last._parameters:
        return None
    return None if {id(branch), id(last), id(last.weight)} & shared else last


def _activate_in_linears(mlp: nn.Module, shared: set[int]) -> None:
    """Make each GELU of a chain a part of the linear layer before it."""
    for before, name in pairwise(mlp.chain):
        linear, activation = getattr(mlp, before), getattr(mlp, name)
        alone = type(linear) is PackedLinear and id(linear) not in shared
        if alone and isinstance(activation, InPlaceGELU):
            linear.gelu = True
            setattr(mlp, name, nn.Identity())


def _defer_to_sum(module: nn.Module, shortcut: str, branch: nn.Module, shared: set[int]) -> None:
    """Let a plain sum apply the last linear layer of its branch, or all layers of a chain.

    What is between the two rearranges or averages tokens only, so the order does not matter.
    """
    last, plain = _own_last_linear(branch, shared), getattr(module, shortcut)
    if last is None or not isinstance(plain, ScaledIdentity):
        return
    layers = [last]
    if supports(branch, 'chain'):
        steps = [getattr(branch, name) for name in branch.chain]
        steps = [step for step in steps if type(step) is not nn.Identity]
        if all(type(step) is PackedLinear and id(step) not in shared for step in steps):
            layers = steps
    setattr(module, shortcut, ClosingSum(layers, plain.scale))


def _compute_in(model: nn.Module, dtype: torch.dtype) -> None:
    """Let ``model`` compute in ``dtype`` between inputs and outputs in float32."""
    on_cpu = all(value.device.type == 'cpu' for value in model.parameters())
    if on_cpu and not computes_bfloat16():
        warnings.warn(
            'this processor emulates bfloat16, which is slower than float32', stacklevel=4
        )
    model.to(dtype)
    model.register_forward_pre_hook(partial(_cast_inputs, dtype), with_kwargs=True)
    model.register_forward_hook(_cast_outputs)


def computes_bfloat16() -> bool:
    """Return whether this processor computes in bfloat16, rather than emulating it."""
    return torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()


def _cast_inputs(dtype: torch.dtype, model: nn.Module, inputs: tuple, options: dict) -> tuple:
    return _cast(inputs, dtype), _cast(options, dtype)


def _cast_outputs(model: nn.Module, inputs: tuple, outputs: Any) -> Any:
    return _cast(outputs, torch.float32)


def _cast(values: Any, dtype: torch.dtype) -> Any:
    """Cast all tensors in floating point of a nest of tuples, lists and dicts."""
    return tree_map_only(Tensor, lambda x: x.to(dtype) if x.is_floating_point() else x, values)


def _seal(model: nn.Module) -> None:
    """Refuse to train ``model`` or to load into it."""
    model.train = partial(_stay_in_eval_mode, model)
    for part in model.modules():  # some users fill the backbone alone
        part._register_load_state_dict_pre_hook(_refuse_state)


def _stay_in_eval_mode(model: nn.Module, mode: bool = True) -> nn.Module:
    if mode:
        problem = 'a model fused for inference cannot be trained'
        raise OptionError(f'{problem}; train the model that it was made of, and fuse again')
    return model


def _refuse_state(*arguments) -> None:
    problem = 'nothing can be loaded into a model fused for inference'
    raise OptionError(f'{problem}; load into the model that it was made of, and fuse again')


def keep_first_token(blocks: nn.ModuleList) -> None:
    """Let the last of ``blocks`` answer for the first token alone, if it has such a form."""
    if hasattr(blocks[-1], 'for_first_token'):
        blocks[-1] = blocks[-1].for_first_token()


def scale_linear(layer: nn.Linear, factor: float | Tensor) -> None:
    """Multiply what ``layer`` answers by ``factor``, in its parameters."""
    layer.weight.mul_(factor)
    if layer.bias is not None:
        layer.bias.mul_(factor)


class ScaledIdentity(nn.Module):
    """The shortcut scale * x + branch with a constant ``scale``; overwrites ``branch``."""

    def __init__(self, scale: float) -> None:
        super().__init__()
        self.scale = scale

    def forward(self, x: Tensor, normed: Tensor, branch: Tensor) -> Tensor:
        """Map the stream, its normalized copy and the branch, all (N, L, C), to (N, L, C)."""
        return add_scaled(branch, x, self.scale)


class InPlaceGELU(nn.Module):
    """The exact GELU, written over its input."""

    def forward(self, x: Tensor) -> Tensor:
        """Map any shape to itself."""
        return torch.ops.aten.gelu_(x)
