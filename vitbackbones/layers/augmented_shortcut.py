"""Augmented shortcuts (Tang et al., "Augmented Shortcuts for Vision Transformers", 2021).

Besides the identity, T parallel learned paths lead around a residual branch (Eq. 8-11), so that
tokens stay diverse in depth. By default the published code is followed where the paper differs:

* the paths read the branch's input after the LayerNorm, not the residual stream;
* every path is affine with a bias; with one path there is no activation, with more each ends in
  a GELU;
* the two-path form multiplies the whole sum by 3/4;
* paths are never dropped, stochastic depth acts on the branch alone.

    T = 1:   x + branch + A(n)              T = 2:   3/4 (x + branch + A1(n) + A2(n))

The paper's own forms are options. ``source='stream', scale=1`` is its Eq. 8, with one path and
``activation='GELU'`` as in Eq. 9; ``order`` and ``projection='none'`` are rows of its Table 6.

The matrix of a path is block-circulant (Sec. 3.3, Eq. 13-14) or dense. A d x d matrix is cut into
b x b blocks of m = d / b; each block is circulant and stored as its first column c[i, j] (i:
output block, j: input block):

    W[i*m + p, j*m + q] = c[i, j, (p - q) mod m],      y_i = sum_j c[i, j] * x_j  (circular)

so b * d numbers describe it. Three exact ways to apply it are given: as a dense matrix product; as
two products of half the size; and through the real FFT, O(d log m + b d) per token. The paper's
Eq. 14, F(Z) . F(c), is the product with *first columns*, as here; with its Eq. 13 (rows) it would
need a conjugate.
"""

import math
from collections.abc import Callable
from functools import reduce

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..errors import OptionError
from .fuse import scale_linear
from .parts import SHORTCUTS, register, require_choice


def circulant_matrix(columns: Tensor, sign: int = 1) -> Tensor:
    """Write the stored columns out as a dense matrix.

    Args:
        columns: (..., b, b, m) first columns of the blocks.
        sign: factor on the entries above the diagonal of each block; -1 makes the blocks
            skew-circulant.

    Returns:
        (..., b * m, b * m) matrix in the (out, in) convention of ``F.linear``.
    """
    m = columns.shape[-1]
    backward = columns.flip(-1)  # position s holds c[m - 1 - s]
    windows = torch.cat([backward, sign * backward[..., :-1]], -1).unfold(-1, m, 1)
    # window s holds c[(m - 1 - s - q) mod m] at q, so window m - 1 - p is row p of the block; the
    # second copy, with the sign, is read where q > p
    blocks = windows.flip(-2)  # (..., b, b, p, q)
    return blocks.transpose(-3, -2).flatten(-2).flatten(-3, -2)  # (..., b * m, b * m)


def circulant_dense(x: Tensor, columns: Tensor, bias: Tensor) -> Tensor:
    """Apply ``paths`` block-circulant maps as one matrix product.

    Args:
        x: (..., d) tokens.
        columns: (paths, b, b, m) with d = b * m.
        bias: (paths, d).

    Returns:
        (..., paths, d).
    """
    return _dense(x, circulant_matrix(columns), bias)


def _dense(x: Tensor, matrices: Tensor, bias: Tensor) -> Tensor:
    """Apply ``matrices`` (paths, d, d) to (..., d); returns (..., paths, d)."""
    out = F.linear(x, matrices.flatten(0, 1), bias.flatten())  # (..., paths * d)
    return out.unflatten(-1, (len(matrices), -1))


def circulant_halves(x: Tensor, columns: Tensor, bias: Tensor) -> Tensor:
    """Return what :func:`circulant_dense` does in half the multiplications; m must be even.

    With u^m - 1 = (u^(m/2) - 1) (u^(m/2) + 1), the product modulo each factor is one with blocks
    of m / 2, circulant for the sum and skew-circulant for the difference of the halves:

        s = C(c0 + c1) (x0 + x1),   t = S(c0 - c1) (x0 - x1),   y0 = (s + t) / 2,   y1 = (s - t) / 2
    """
    return _join_halves(*_halves(x, columns, bias), columns.shape[1])


def _halves(x: Tensor, columns: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    """Return y0 and y1 of :func:`circulant_halves`, of all blocks, each (..., paths, d / 2)."""
    _, b, _, m = columns.shape
    x0, x1 = x.unflatten(-1, (b, 2, m // 2)).unbind(-2)  # each (..., b, m / 2)
    c0, c1 = columns.unflatten(-1, (2, m // 2)).unbind(-2)  # each (paths, b, b, m / 2)
    b0, b1 = bias.unflatten(-1, (b, 2, m // 2)).unbind(-2)  # each (paths, b, m / 2)
    same, skew = circulant_matrix((c0 + c1) / 2), circulant_matrix((c0 - c1) / 2, sign=-1)
    s = _dense((x0 + x1).flatten(-2), same, (b0 + b1) / 2)  # (..., paths, d / 2)
    t = _dense((x0 - x1).flatten(-2), skew, (b0 - b1) / 2)
    return s + t, s.sub_(t)  # in place, because no gradient needs s


def _join_halves(y0: Tensor, y1: Tensor, b: int) -> Tensor:
    """Put y0 and y1, each (..., d / 2), side by side in every one of ``b`` blocks: (..., d)."""
    halves = [y.unflatten(-1, (b, -1)) for y in (y0, y1)]  # each (..., b, m / 2)
    return torch.stack(halves, -2).flatten(-3)  # (..., b, 2, m / 2) -> (..., d)


def circulant_fft(x: Tensor, columns: Tensor, bias: Tensor) -> Tensor:
    """Return what :func:`circulant_dense` does, by the real FFT (float32 and float64)."""
    paths, b, _, m = columns.shape
    x_freq = torch.fft.rfft(x.reshape(-1, b, m))  # (tokens, b, m // 2 + 1)
    c_freq = torch.fft.rfft(columns)  # (paths, b, b, m // 2 + 1)
    x_freq = x_freq.permute(2, 0, 1)  # (frequency, tokens, b_in)
    c_freq = c_freq.permute(3, 2, 0, 1).flatten(2)  # (frequency, b_in, paths * b_out)
    y_freq = torch.bmm(x_freq, c_freq).permute(1, 2, 0)  # (tokens, paths * b_out, frequency)
    y = torch.fft.irfft(y_freq, n=m)  # (tokens, paths * b_out, m)
    return y.reshape(*x.shape[:-1], paths, b * m) + bias


def _circulant_product(x: Tensor, columns: Tensor) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
    """Return the fastest exact form for ``x``.

    On a CPU in float32 that depends on the width: the matrix below 256, the FFT from 768, two half
    matrices between. Half precision has no FFT on a CPU and is too coarse to add halves first,
    autocast would only speed up the matrix form, and inductor does not fuse complex arithmetic.
    """
    wide = x.shape[-1] >= 256 and x.device.type == 'cpu'
    precise = x.dtype in (torch.float32, torch.float64) and not torch.is_autocast_enabled('cpu')
    if not (wide and precise):
        return circulant_dense
    if x.shape[-1] >= 768 and not torch.compiler.is_compiling():
        return circulant_fft
    return circulant_dense if columns.shape[-1] % 2 else circulant_halves


@register(SHORTCUTS)
class AugmentedShortcut(nn.Module):
    """Identity plus ``paths`` learned paths around a branch.

    Args:
        embed_dims: width d of the tokens.
        paths: number T of learned paths.
        blocks: number b of circulant blocks a side; d must be a multiple of it.
        projection: ``'circulant'`` (b d numbers a path), ``'dense'`` (d d numbers) or ``'none'``,
            the activation alone, which leaves nothing to learn.
        scale: factor on the whole sum; by default 3/4 with two paths and 1 otherwise.
        activation: of every path, ``'GELU'`` or ``None``; ``'published'`` is none with one path
            and a GELU with more.
        order: ``'projection_first'`` or ``'activation_first'``.
        source: what the paths read, ``'normed'`` (what the branch reads) or the ``'stream'``.

    Shape of ``weight``: (paths, b, b, d / b) first columns, or (paths, d, d); of ``bias``:
    (paths, d). Both are ``None`` without a projection.

    Raises:
        OptionError: ``paths`` or ``blocks`` is below 1, ``blocks`` does not divide the width, an
            option is unknown, or options have no meaning together.
    """

    answers_for_first_token = True

    def __init__(
        self,
        embed_dims: int,
        paths: int = 2,
        blocks: int = 4,
        projection: str = 'circulant',
        scale: float | None = None,
        activation: str | None = 'published',
        order: str = 'projection_first',
        source: str = 'normed',
    ) -> None:
        super().__init__()
        if paths < 1:
            raise OptionError(f'paths={paths}: at least one learned path is needed')
        if blocks < 1:
            raise OptionError(f'blocks={blocks}: at least one block a side is needed')
        require_choice('projection', projection, ('circulant', 'dense', 'none'))
        require_choice('activation', activation, ('published', 'GELU', None))
        require_choice('order', order, ('projection_first', 'activation_first'))
        require_choice('source', source, ('normed', 'stream'))
        if projection == 'circulant' and embed_dims % blocks:
            raise OptionError(f'embed_dims={embed_dims} is not a multiple of blocks={blocks}')
        if activation == 'published':
            activation = 'GELU' if paths > 1 else None
        _require_meaning(paths, projection, activation, order)
        self.projection, self.activation = projection, activation
        self.order, self.source = order, source
        self.scale = scale if scale is not None else (0.75 if paths == 2 else 1.0)
        columns = (blocks, blocks, embed_dims // blocks)
        shape = columns if projection == 'circulant' else (embed_dims, embed_dims)
        self.weight = self.bias = None
        if projection != 'none':
            self.weight = nn.Parameter(torch.empty(paths, *shape))
            self.bias = nn.Parameter(torch.empty(paths, embed_dims))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw as published: circulant U(+-1/sqrt(d)), dense trunc-normal 0.02 with bias 0."""
        if self.projection == 'dense':
            nn.init.trunc_normal_(self.weight, std=0.02)
            nn.init.zeros_(self.bias)
        elif self.projection == 'circulant':
            bound = 1 / math.sqrt(self.bias.shape[1])
            nn.init.uniform_(self.weight, -bound, bound)
            nn.init.uniform_(self.bias, -bound, bound)

    def forward(self, x: Tensor, normed: Tensor, branch: Tensor) -> Tensor:
        """Map the stream, its normalized copy and the branch, all (N, L, d), to (N, L, d)."""
        # in place, because no gradient needs the sum before
        total = (x + branch).add_(self.augment(self.choose(x, normed)))
        return total if self.scale == 1.0 else total.mul_(self.scale)

    def fold_into(self, last: nn.Linear) -> nn.Module:
        """Multiply the factor into the branch's ``last`` layer; return the sum left."""
        scale_linear(last, self.scale)
        return FoldedAugmentedShortcut(self)

    def choose(self, x: Tensor, normed: Tensor) -> Tensor:
        """Return what the paths read, of the stream and its normalized copy."""
        return x if self.source == 'stream' else normed

    def augment(self, source: Tensor) -> Tensor:
        """Map what the paths read, (N, L, d), to their sum (N, L, d)."""
        if self.weight is None:
            return F.gelu(source)
        if self.activation and self.order == 'projection_first':
            return self._sum_activated(source)
        source = F.gelu(source) if self.activation else source
        # a sum of linear maps is the map of their sum
        weight, bias = self.weight.sum(0, keepdim=True), self.bias.sum(0, keepdim=True)
        return self._project(source, weight, bias)[:, :, 0]

    def _sum_activated(self, source: Tensor) -> Tensor:
        """Return the sum of the activated maps of (N, L, d), (N, L, d)."""
        columns, circulant = self.weight, self.projection == 'circulant'
        if circulant and _circulant_product(source, columns) is circulant_halves:
            # joined after the sum, when they are fewer
            halves = (_add_paths(_gelu(half)) for half in _halves(source, columns, self.bias))
            return _join_halves(*halves, columns.shape[1])
        return _add_paths(_gelu(self._project(source, columns, self.bias)))

    def _project(self, source: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        """Map (N, L, d) to (N, L, paths, d) by the maps of ``weight`` and ``bias``."""
        if self.projection == 'dense':
            return _dense(source, weight, bias)
        return _circulant_product(source, weight)(source, weight, bias)

    def extra_repr(self) -> str:
        shape = None if self.weight is None else tuple(self.weight.shape)
        return (
            f'weight={shape}, scale={self.scale}, activation={self.activation}, '
            f'order={self.order}, source={self.source}'
        )


def _require_meaning(paths: int, projection: str, activation: str | None, order: str) -> None:
    if projection == 'none' and activation is None:
        raise OptionError("projection='none' needs an activation: the path would do nothing")
    if projection == 'none' and paths > 1:
        raise OptionError(f"paths={paths}: with projection='none' all would be the same; use 1")
    if order == 'activation_first' and (projection == 'none' or activation is None):
        raise OptionError("order='activation_first' needs both an activation and a projection")


def _add_paths(x: Tensor) -> Tensor:
    """Map (..., paths, d) to (..., d), faster than a sum over the dimension does."""
    return reduce(torch.add, x.unbind(-2))


def _gelu(x: Tensor) -> Tensor:
    """The exact GELU, written over its input unless a gradient needs that."""
    return F.gelu(x) if x.requires_grad else torch.ops.aten.gelu_(x)


class FoldedAugmentedShortcut(nn.Module):
    """The sum for inference, where the branch is scaled already; overwrites ``branch``."""

    def __init__(self, shortcut: AugmentedShortcut) -> None:
        super().__init__()
        self.paths = shortcut

    def forward(self, x: Tensor, normed: Tensor, branch: Tensor) -> Tensor:
        """Map the stream, its normalized copy and the branch, all (N, L, d), to (N, L, d)."""
        scale, source = self.paths.scale, self.paths.choose(x, normed)
        return branch.add_(x, alpha=scale).add_(self.paths.augment(source), alpha=scale)
