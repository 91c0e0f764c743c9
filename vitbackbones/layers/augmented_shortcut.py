"""Augmented shortcuts (Tang et al., "Augmented Shortcuts for Vision Transformers", 2021).

Besides the identity, T parallel learned paths lead around a residual branch (Eq. 8-11), so that
tokens stay diverse in depth. The published code is followed where the paper differs from it:

* the paths read the branch's input after the LayerNorm, not the residual stream;
* every path is affine with a bias; with one path there is no activation, with more each ends in
  a GELU;
* the two-path form multiplies the whole sum by 3/4;
* paths are never dropped, stochastic depth acts on the branch alone.

    T = 1:   x + branch + A(n)              T = 2:   3/4 (x + branch + A1(n) + A2(n))

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


def circulant_dense(x: Tensor, columns: Tensor) -> Tensor:
    """Apply ``paths`` block-circulant maps as one matrix product.

    Args:
        x: (..., d) tokens.
        columns: (paths, b, b, m) with d = b * m.

    Returns:
        (..., paths, d).
    """
    matrix = circulant_matrix(columns)  # (paths, d, d)
    return F.linear(x, matrix.flatten(0, 1)).unflatten(-1, (len(columns), -1))


def circulant_halves(x: Tensor, columns: Tensor) -> Tensor:
    """Return what :func:`circulant_dense` does in half the multiplications; m must be even.

    With u^m - 1 = (u^(m/2) - 1) (u^(m/2) + 1), the product modulo each factor is one with blocks
    of m / 2, circulant for the sum and skew-circulant for the difference of the halves:

        s = C(c0 + c1) (x0 + x1),   t = S(c0 - c1) (x0 - x1),   y0 = (s + t) / 2,   y1 = (s - t) / 2
    """
    paths, b, _, m = columns.shape
    x0, x1 = x.unflatten(-1, (b, 2, m // 2)).unbind(-2)  # each (..., b, m / 2)
    c0, c1 = columns.unflatten(-1, (2, m // 2)).unbind(-2)  # each (paths, b, b, m / 2)
    same = circulant_matrix((c0 + c1) / 2).flatten(0, 1)  # (paths * d / 2, d / 2)
    skew = circulant_matrix((c0 - c1) / 2, sign=-1).flatten(0, 1)
    s, t = F.linear((x0 + x1).flatten(-2), same), F.linear((x0 - x1).flatten(-2), skew)
    s, t = (y.unflatten(-1, (paths, b, m // 2)) for y in (s, t))  # (..., paths, b, m / 2)
    return torch.cat([s + t, s - t], -1).flatten(-2)  # (..., paths, b, m) -> (..., paths, d)


def circulant_fft(x: Tensor, columns: Tensor) -> Tensor:
    """Return what :func:`circulant_dense` does, by the real FFT (float32 and float64)."""
    paths, b, _, m = columns.shape
    x_freq = torch.fft.rfft(x.reshape(-1, b, m))  # (tokens, b, m // 2 + 1)
    c_freq = torch.fft.rfft(columns)  # (paths, b, b, m // 2 + 1)
    x_freq = x_freq.permute(2, 0, 1)  # (frequency, tokens, b_in)
    c_freq = c_freq.permute(3, 2, 0, 1).flatten(2)  # (frequency, b_in, paths * b_out)
    y_freq = torch.bmm(x_freq, c_freq).permute(1, 2, 0)  # (tokens, paths * b_out, frequency)
    y = torch.fft.irfft(y_freq, n=m)  # (tokens, paths * b_out, m)
    return y.reshape(*x.shape[:-1], paths, b * m)


def _circulant_product(x: Tensor, columns: Tensor) -> Callable[[Tensor, Tensor], Tensor]:
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
        projection: ``'circulant'`` (b d numbers a path) or ``'dense'`` (d d numbers).
        scale: factor on the whole sum; by default 3/4 with two paths and 1 otherwise.

    Shape of ``weight``: (paths, b, b, d / b) first columns, or (paths, d, d); of ``bias``:
    (paths, d).

    Raises:
        OptionError: ``paths`` is below 1, ``projection`` is unknown, or ``blocks`` does not divide
            the width.
    """

    answers_for_first_token = True

    def __init__(
        self,
        embed_dims: int,
        paths: int = 2,
        blocks: int = 4,
        projection: str = 'circulant',
        scale: float | None = None,
    ) -> None:
        super().__init__()
        if paths < 1:
            raise OptionError(f'paths={paths}: at least one learned path is needed')
        require_choice('projection', projection, ('circulant', 'dense'))
        if projection == 'circulant' and embed_dims % blocks:
            raise OptionError(f'embed_dims={embed_dims} is not a multiple of blocks={blocks}')
        self.projection = projection
        self.scale = scale if scale is not None else (0.75 if paths == 2 else 1.0)
        columns = (blocks, blocks, embed_dims // blocks)
        shape = columns if projection == 'circulant' else (embed_dims, embed_dims)
        self.weight = nn.Parameter(torch.empty(paths, *shape))
        self.bias = nn.Parameter(torch.empty(paths, embed_dims))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw as published: circulant U(+-1/sqrt(d)), dense trunc-normal 0.02 with bias 0."""
        if self.projection == 'dense':
            nn.init.trunc_normal_(self.weight, std=0.02)
            nn.init.zeros_(self.bias)
        else:
            bound = 1 / math.sqrt(self.bias.shape[1])
            nn.init.uniform_(self.weight, -bound, bound)
            nn.init.uniform_(self.bias, -bound, bound)

    def forward(self, x: Tensor, normed: Tensor, branch: Tensor) -> Tensor:
        """Map the stream, its normalized copy and the branch, all (N, L, d), to (N, L, d)."""
        total = x + branch + self.augment(normed)
        return total if self.scale == 1.0 else total * self.scale

    def fold_into(self, last: nn.Linear) -> nn.Module:
        """Multiply the factor into the branch's ``last`` layer; return the sum left."""
        scale_linear(last, self.scale)
        return FoldedAugmentedShortcut(self)

    def augment(self, normed: Tensor) -> Tensor:
        """Return the sum of the learned paths, (N, L, d)."""
        paths = len(self.weight)
        if self.projection == 'dense':
            # (N, L, d) -> (N, L, paths * d) -> (N, L, paths, d)
            out = F.linear(normed, self.weight.flatten(0, 1)).unflatten(-1, (paths, -1))
        else:
            out = _circulant_product(normed, self.weight)(normed, self.weight)
        out = out + self.bias  # (N, L, paths, d)
        if paths > 1:
            out = F.gelu(out)
        return out.sum(2)

    def extra_repr(self) -> str:
        return f'weight={tuple(self.weight.shape)}, scale={self.scale}'


class FoldedAugmentedShortcut(nn.Module):
    """The sum for inference, where the branch is scaled already; overwrites ``branch``."""

    def __init__(self, shortcut: AugmentedShortcut) -> None:
        super().__init__()
        self.paths = shortcut

    def forward(self, x: Tensor, normed: Tensor, branch: Tensor) -> Tensor:
        """Map the stream, its normalized copy and the branch, all (N, L, d), to (N, L, d)."""
        scale = self.paths.scale
        return branch.add_(x, alpha=scale).add_(self.paths.augment(normed), alpha=scale)
