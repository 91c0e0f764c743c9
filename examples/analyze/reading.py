"""Read inside of a model: tokens after every block and pass, and attention weights.

    with reading(model, attention=[block]) as found, torch.no_grad():
        model(image)
    found.tokens[-1].patches  # (N, h * w, C) after the last block

Readings rest on torch's hooks, so a model that nobody reads has none and costs nothing, and no
forward code is written twice. The hooks are removed when the ``with`` block ends, however it ends.

**Which models.** A backbone, or any model with one as ``backbone``: a classifier of
``create_model``, a detector, a segmentor. Blocks are the modules in ``blocks``, or those in the
``blocks`` of each module in ``stages`` or ``layers``; a stage without ``blocks`` is one block.
Backbones of other packages that are built in this way are read, too.

**What a block returns.** Tokens (N, L, C), a map (N, C, h, w), or a pair of pixel tokens and
tokens, as TNT's, whose tokens are read. The patches are the last h * w tokens. (h, w) is among the
arguments of the block; otherwise it is the square that leaves at most two tokens for classes.

**Passes.** A recursive block has one reading per pass: what the projection after the pass returns,
or the identity in its place. A block that is called several times has one reading per call.
Readings are in the order in which they were computed. With mixed depth only the recursive branch is
read. If every call shuffles the tokens anew, attention weights are those of one more call.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from vitbackbones.errors import InputError
from vitbackbones.layers import Slicing, Windows, to_map
from vitbackbones.layers.recursion import Recursive

Grid = tuple[int, int]
MAX_CLASS_TOKENS = 2  # a class token and a distillation token


@dataclass(frozen=True)
class Block:
    """A block of a backbone: its path in there, its number from 1 over all stages, itself."""

    name: str
    number: int
    module: nn.Module


@dataclass(frozen=True)
class Tokens:
    """Tokens at one place of a model.

    Attributes:
        block: the number of the block that they come from, 0 for the input of the first.
        turn: which pass through the block it was, from 1; 0 for the input of the first.
        values: (N, L, C).
        grid: (h, w) of the patches, which come last; ``None`` if it is not known.
    """

    block: int
    turn: int
    values: Tensor
    grid: Grid | None

    @property
    def patches(self) -> Tensor:
        """The patch tokens (N, h * w, C); all tokens where there is no grid."""
        return self.values if self.grid is None else self.values[:, -math.prod(self.grid) :]

    def maps(self) -> Tensor:
        """Return the patch tokens as a map (N, C, h, w).

        Raises:
            InputError: their grid is not known.
        """
        if self.grid is None:
            count = self.values.shape[1]
            raise InputError(f'block {self.block}: {count} tokens are not known to be a grid')
        return to_map(self.patches, self.grid)


@dataclass(frozen=True)
class Weights:
    """Attention weights of one call. The attention among the pixels of a patch of TNT is left out.

    Attributes:
        block: the number of the block.
        turn: which call of the block it was part of, from 1.
        values: (N, heads, L, S), softmax over S; N is windows times images in windows.
        grid: (h, w) of the block's patches.
        module: the block.
    """

    block: int
    turn: int
    values: Tensor
    grid: Grid | None
    module: nn.Module


@dataclass
class Reading:
    """What was read so far: the input of the first block, and what follows every block and pass."""

    tokens: list[Tokens] = field(default_factory=list)
    attention: list[Weights] = field(default_factory=list)  # of the chosen blocks


def find_backbone(model: nn.Module) -> nn.Module:
    """Return the backbone of a model, or the model itself if it has none."""
    return getattr(model, 'backbone', model)


def find_blocks(model: nn.Module) -> list[Block]:
    """Return the blocks of a model's backbone, in order.

    Raises:
        InputError: it has none where the module docstring says.
    """
    backbone = find_backbone(model)
    names = ('blocks', 'stages', 'layers', getattr(backbone, 'stages_name', ''))
    children = dict(backbone.named_children())
    key = next((name for name in names if _is_row(children.get(name))), None)
    if key is None:
        raise InputError(
            f'{type(backbone).__name__} has no blocks to read: neither blocks nor stages nor '
            'layers is a nn.ModuleList'
        )
    found = {}
    for i, stage in enumerate(children[key]):
        row = dict(stage.named_children()).get('blocks')
        if _is_row(row):
            found |= {f'{key}.{i}.blocks.{j}': block for j, block in enumerate(row)}
        else:
            found[f'{key}.{i}'] = stage
    return [Block(name, number, module) for number, (name, module) in enumerate(found.items(), 1)]


def _is_row(module: nn.Module | None) -> bool:
    return isinstance(module, nn.ModuleList | nn.Sequential) and len(module) > 0


def choose_blocks(model: nn.Module, numbers: Sequence[int] | None) -> list[int]:
    """Return the numbers of chosen blocks; by default of the first, the middle and the last.

    Raises:
        InputError: the model has no such block.
    """
    count = len(find_blocks(model))
    chosen = sorted({1, (count + 1) // 2, count}) if numbers is None else list(numbers)
    for number in chosen:
        if not 1 <= number <= count:
            raise InputError(f'block {number}: the model has the blocks 1 to {count}')
    return chosen


@contextmanager
def reading(model: nn.Module, attention: Sequence[int] = ()) -> Iterator[Reading]:
    """Read what passes through a model while the block runs: one batch in one call.

    Args:
        model: see the module docstring; its mode and device are left as they are.
        attention: numbers of the blocks whose attention weights are wanted; all of L x S are
            computed, beside what the fused kernel does.

    Raises:
        InputError: the model has no blocks, or not these.
    """
    found = Reading()
    chosen = choose_blocks(model, attention)
    readers = [_Reader(block, found, block.number in chosen) for block in find_blocks(model)]
    try:
        yield found
    finally:
        for reader in readers:
            for handle in reader.handles:
                handle.remove()


class _Reader:
    """The hooks of one block."""

    def __init__(self, block: Block, found: Reading, with_attention: bool) -> None:
        self.block, self.found = block, found
        recursive = (part for part in block.module.modules() if isinstance(part, Recursive))
        self.projections = next((part.nlls for part in recursive), ())
        self.inputs: tuple = ()
        self.turns = 0  # passes that were read
        self.is_shallow = False  # in the branch of mixed depth that is not read
        self.in_slices = False
        self.handles = [
            block.module.register_forward_pre_hook(self._enter, with_kwargs=True),
            *(end.register_forward_hook(self._pass) for end in self.projections or [block.module]),
        ]
        for name, part in block.module.named_modules() if with_attention else ():
            if name.startswith('inner'):  # among the pixels of a patch of TNT
                continue
            if isinstance(part, Slicing | Windows):
                self.handles.append(part.register_forward_pre_hook(self._enter_slices))
                self.handles.append(part.register_forward_hook(self._leave_slices))
            elif callable(getattr(part, 'weights', None)):
                self.handles.append(part.register_forward_pre_hook(self._attend, with_kwargs=True))

    def _enter(self, module: nn.Module, args: tuple, kwargs: dict) -> None:
        if isinstance(args[0], tuple):  # TNT's pixels and tokens
            args = (*args[0], *args[1:])
        self.inputs = (*args, *kwargs.values())
        self.is_shallow = bool(self.projections) and self.inputs[-1] is False  # ``project``
        if not self.found.tokens:
            tokens = [value for value in args if isinstance(value, Tensor)][-1]
            self.found.tokens.append(self._tokens(tokens, 0, 0))

    def _pass(self, module: nn.Module, args: tuple, output: Any) -> None:
        self.turns += 1
        tokens = output[1] if isinstance(output, tuple) else output  # of TNT without pixels
        self.found.tokens.append(self._tokens(tokens, self.block.number, self.turns))

    def _tokens(self, values: Tensor, block: int, turn: int) -> Tokens:
        grid = _grid(self.inputs, values)
        if values.ndim == 4:
            values = values.flatten(2).transpose(1, 2)  # (N, C, h, w) -> (N, h * w, C)
        return Tokens(block, turn, values.detach(), grid)

    def _enter_slices(self, slicing: Slicing | Windows, args: tuple) -> None:
        attention, x, *place = args
        if isinstance(attention, nn.Module):  # else the attention slices by itself, and was asked
            self._note(_weights_in_slices(slicing, attention, x, *place))
        self.in_slices = True

    def _leave_slices(self, slicing: Slicing | Windows, args: tuple, output: Tensor) -> None:
        self.in_slices = False

    def _attend(self, attention: nn.Module, args: tuple, kwargs: dict) -> None:
        if not self.in_slices:  # else its input is a run of the tokens, and all were read before
            self._note(attention.weights(*args, **kwargs))

    def _note(self, values: Tensor) -> None:
        if not self.is_shallow:
            grid = _grid(self.inputs, next(v for v in self.inputs if isinstance(v, Tensor)))
            place = (self.block.number, self.turns + 1)
            self.found.attention.append(Weights(*place, values.detach(), grid, self.block.module))


def _weights_in_slices(
    slicing: Slicing | Windows, attention: nn.Module, x: Tensor, first: int = 0, *size: Grid
) -> Tensor:
    """Return the weights (N, heads, L, L) among all tokens x (N, L, C) of an attention in slices.

    The ``first`` tokens are in every slice, or window; their weights are the mean over these.
    """
    apart = slicing.apart(x[:, first:], *size)  # (L - first, L - first)
    values = attention.weights(x, bias=F.pad(apart, (first, 0, first, 0)))
    if first:
        slices = F.pad(apart.unique(dim=0), (first, 0))  # (G, L), 0 for what is in a slice
        each = [attention.weights(x, bias=inside)[:, :, :first] for inside in slices]
        values[:, :, :first] = torch.stack(each).mean(0)
    return values


def _grid(inputs: tuple, values: Tensor) -> Grid | None:
    """Return the (h, w) that a block was called with, or of a map, or of a square of tokens."""
    if values.ndim == 4:
        return tuple(values.shape[2:])
    for value in inputs:
        if isinstance(value, tuple | list) and len(value) == 2:
            return tuple(value)
    count = values.shape[1]
    for extra in range(MAX_CLASS_TOKENS + 1):
        side = math.isqrt(max(count - extra, 0))
        if side * side == count - extra:
            return (side, side)
    return None
