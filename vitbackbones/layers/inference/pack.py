"""Linear layers whose weights are laid out once for the kernels of a CPU.

A plain matrix product lays the weight out for its kernel in every call. Here oneDNN does it once,
and a GELU or the sum with the residual stream, which would read and write all tokens once more, is
part of the product. These are the operators that ``torch.compile`` uses after freezing.

The dense weight stays the layer's parameter: it is what moves, pickles, is traced and is
differentiated. The packed one is made from it when it is first needed, costs as much memory again,
and is dropped whenever the layer moves; numbers written into the dense one later are not noticed.
A call that oneDNN cannot serve (another device or type, autocast, a gradient, ``torch.compile`` and
``torch.export``) takes the dense weight.
"""

from collections.abc import Sequence
from functools import cache

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ...errors import OptionError
from .constants import is_traced

# Rows that oneDNN lays a weight out for. Without a number it only transposes many weights, and a
# layout for many rows serves few as well; one number for all, so that no batch decides.
_ROWS = 8192

# Bytes: tensors of more than _WIDE are made in pieces of _PIECE. With less, pieces cost more than
# they save.
_WIDE = 20 * 2**20
_PIECE = 4 * 2**20


def why_not_packed() -> str:
    """Return what keeps this machine from packed products, '' if nothing does."""
    operators = ('_reorder_linear_weight', '_linear_pointwise')
    if not torch.backends.mkldnn.is_available():
        return 'this build of torch has no oneDNN'
    if not torch.backends.mkldnn.enabled:
        return 'oneDNN is switched off (torch.backends.mkldnn.enabled)'
    if not all(hasattr(torch.ops.mkldnn, name) for name in operators):
        return f'torch {torch.__version__} has no operators for packed linear layers'
    capability = torch.backends.cpu.get_cpu_capability()
    if not capability.startswith('AVX'):
        return f'the processor has no AVX2 ({capability})'
    return ''


def should_pack(pack: bool | str) -> bool:
    """Return whether to pack, for ``pack`` as in :func:`~vitbackbones.layers.fuse_for_inference`.

    Raises:
        OptionError: ``pack`` is true, and this machine cannot.
    """
    if pack not in ('auto', True, False):
        raise OptionError(f"pack={pack!r}: must be 'auto', True or False")
    reason = why_not_packed() if pack else ''
    if reason and pack is True:
        raise OptionError(f"pack=True: {reason}; use pack='auto' to do without")
    return bool(pack) and not reason


def _packs(x: Tensor) -> bool:
    """Return whether oneDNN serves a call with ``x``."""
    return (
        not is_traced()
        and type(x) is Tensor  # no fake one
        and x.device.type == 'cpu'
        and x.dtype in _dtypes()
        and not (x.requires_grad and torch.is_grad_enabled())
        and not torch.is_autocast_enabled('cpu')
        and torch.backends.mkldnn.enabled
    )


@cache
def _dtypes() -> tuple[torch.dtype, ...]:
    """Return the types that oneDNN has packed products for on this processor."""
    has_bfloat16 = torch.ops.mkldnn._is_mkldnn_bf16_supported()
    return (torch.float32, torch.bfloat16) if has_bfloat16 else (torch.float32,)


class PackedLinear(nn.Linear):
    """A linear layer that keeps its weight packed, all of it or some of its rows.

    Attributes:
        packed: packed weights by the rows (first, end) that they are of, ``None`` for all, made
            when they are first asked for.
        gelu: whether a GELU is part of it.
        deferred: whether a :class:`ClosingSum` applies it later; it passes on what comes in.
    """

    packed: dict[tuple[int, int] | None, Tensor]
    gelu = False
    deferred = False

    def forward(self, x: Tensor) -> Tensor:
        """Map (..., in_features) to (..., out_features), or to itself if ``deferred``."""
        return x if self.deferred else self.product(x, gelu=self.gelu)

    def product(
        self,
        x: Tensor,
        rows: tuple[int, int] | None = None,
        gelu: bool = False,
        other: Tensor | None = None,
    ) -> Tensor:
        """Map (..., in_features) to (..., out_features).

        Args:
            x: what comes in.
            rows: first and end of the rows of the weight to use; by default all.
            gelu: whether a GELU follows.
            other: what is added to the answer, of its shape.
        """
        weight, bias = self.weight, self.bias
        if rows is not None:
            weight, bias = weight[slice(*rows)], None if bias is None else bias[slice(*rows)]
        learns = self.weight.requires_grad and torch.is_grad_enabled()
        if learns or x.dtype != weight.dtype or not _packs(x):
            out = F.linear(x, weight, bias)
            out = F.gelu(out) if gelu else out
            return out if other is None else out + other
        if rows not in self.packed:
            self.packed[rows] = torch.ops.mkldnn._reorder_linear_weight(weight.detach(), _ROWS)
        weight = self.packed[rows]
        if other is not None:
            return torch.ops.mkldnn._linear_pointwise.binary(x, other, weight, bias, 'add')
        activation = ('gelu', [], 'none') if gelu else ('none', [], '')
        return torch.ops.mkldnn._linear_pointwise(x, weight, bias, *activation)

    def _apply(self, *arguments, **options) -> 'PackedLinear':
        if self.packed:
            self.packed = {}  # of weights that now move or change their type
        return super()._apply(*arguments, **options)

    def __getstate__(self) -> dict:
        """Leave the packed weights out of pickles and copies."""
        return {**vars(self), 'packed': {}} if self.packed else vars(self)


def add_scaled(branch: Tensor, x: Tensor, scale: float) -> Tensor:
    """Return scale * x + branch, written over ``branch`` unless autocast made it narrower."""
    if branch.dtype != x.dtype:
        return branch.add(x, alpha=scale)
    return branch.add_(x, alpha=scale)


def _tokens_of_a_piece(x: Tensor, width: int) -> int | None:
    """Return how many tokens of ``x`` to map at a time, ``None`` for all at once.

    Between the two layers of an MLP a piece of the tokens stays in the cache.

    Args:
        x: (..., C) tokens.
        width: of what they are mapped to.
    """
    token = width * x.element_size()  # bytes
    if x.device.type != 'cpu' or x.shape[:-1].numel() * token <= _WIDE:
        return None
    return max(_PIECE // token, 1)


class ClosingSum(nn.Module):
    """The shortcut scale * x + branch, with the last linear layers of the branch deferred to here.

    They stay modules of the branch, so that no key of the state dict changes. Those of an
    MLP map few tokens at a time where there are many.

    Args:
        layers: the layers, applied one after the other.
        scale: factor of the stream.
    """

    def __init__(self, layers: Sequence[PackedLinear], scale: float) -> None:
        super().__init__()
        for layer in layers:
            layer.deferred = True
        self.held = tuple(layers)  # not registered as submodules
        self.scale = scale
        self.width = max((layer.out_features for layer in layers[:-1]), default=0)  # of the inner

    def forward(self, x: Tensor, normed: Tensor, branch: Tensor) -> Tensor:
        """Map the stream (N, L, C), its normalized copy and the branch to (N, L, C).

        The branch (N, L, width) comes as it is before its last layers.
        """
        last = self.held[-1]
        rows = _tokens_of_a_piece(branch, self.width) if _packs(branch) else None
        if rows is None and self.scale == 1.0:
            return last.product(self._hidden(branch), other=x)
        if rows is None:
            return add_scaled(last.product(self._hidden(branch)), x, self.scale)
        out = torch.empty(x.shape, dtype=x.dtype)
        pieces = (each.flatten(0, -2).split(rows) for each in (x, branch, out))  # (rows, width)
        for x_piece, piece, out_piece in zip(*pieces, strict=True):
            answer = last.product(self._hidden(piece))
            torch.add(answer, x_piece, alpha=self.scale, out=out_piece)
        return out

    def _hidden(self, branch: Tensor) -> Tensor:
        """Apply all layers but the last."""
        for layer in self.held[:-1]:
            branch = layer.product(branch, gelu=layer.gelu)
        return branch


def pack_linears(model: nn.Module) -> None:
    """Let every plain linear layer below ``model`` pack, in place.

    Left alone are subclasses, and layers whose weight is computed by a parametrization or pruning.
    """
    for layer in model.modules():
        if type(layer) is nn.Linear and 'weight' in layer._parameters:
            layer.__class__ = PackedLinear
            layer.packed = {}
