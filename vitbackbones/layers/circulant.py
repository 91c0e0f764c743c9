"""Block-circulant maps of tokens: as one matrix, as two of half the size, and by the real FFT.

A d x d matrix is cut into b x b blocks of m = d / b; each block is circulant and stored as its
first column c[i, j] (i: output block, j: input block):

    W[i*m + p, j*m + q] = c[i, j, (p - q) mod m],      y_i = sum_j c[i, j] * x_j  (circular)

so b * d numbers describe it. Three exact ways to apply several such maps to the same tokens are
given: as one dense matrix product; as two products of half the size; and through the real FFT,
O(d log m + b d) per token.
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor


def circulant_matrix(columns: Tensor) -> Tensor:
    """Write the stored columns out as a dense matrix.

    Args:
        columns: (..., b, b, m) first columns of the blocks.

    Returns:
        (..., b * m, b * m) matrix in the (out, in) convention of ``F.linear``.
    """
    blocks = _blocks(torch.cat([columns, columns], -1))  # (..., b, b, q, p)
    return blocks.movedim(-1, -3).flatten(-4, -3).flatten(-2)  # (..., b, p, b, q), then flat


def circulant_dense(x: Tensor, columns: Tensor, bias: Tensor) -> Tensor:
    """Apply ``paths`` block-circulant maps as one matrix product.

    Args:
        x: (..., d) tokens.
        columns: (paths, b, b, m) with d = b * m.
        bias: (paths, d).

    Returns:
        (..., paths, d).
    """
    return dense_paths(x, circulant_matrix(columns), bias)


def dense_paths(x: Tensor, matrices: Tensor, bias: Tensor) -> Tensor:
    """Apply ``matrices`` (paths, d, d) to (..., d); returns (..., paths, d)."""
    out = F.linear(x, matrices.flatten(0, 1), bias.flatten())  # (..., paths * d)
    return out.unflatten(-1, (len(matrices), -1))


def circulant_halves(x: Tensor, columns: Tensor, bias: Tensor) -> Tensor:
    """Return what :func:`circulant_dense` does in half the multiplications; m must be even.

    With u^m - 1 = (u^(m/2) - 1) (u^(m/2) + 1), the product modulo each factor is one with blocks
    of m / 2, circulant for the sum and skew-circulant for the difference of the halves:

        s = C(c0 + c1) (x0 + x1),   t = S(c0 - c1) (x0 - x1),   y0 = (s + t) / 2,   y1 = (s - t) / 2
    """
    paths, b, _, m = columns.shape
    swapped = columns.roll(m // 2, -1)  # c1 before c0
    turns = torch.stack([swapped + columns, swapped - columns]) / 2
    matrices = _blocks(turns).permute(0, 3, 4, 1, 2, 5)  # (2, j, q, paths, i, p)
    matrices = matrices.flatten(3).flatten(1, 2)  # (2, d / 2, paths * d / 2)
    b0, b1 = bias.unflatten(-1, (b, 2, -1)).unbind(-2)  # each (paths, b, m / 2)
    biases = torch.stack([b0 + b1, b0 - b1]).view(2, 1, -1) / 2
    x0, x1 = x.reshape(-1, b, 2, m // 2).unbind(2)  # each (tokens, b, m / 2)
    z = torch.stack([x0 + x1, x0 - x1]).flatten(2)  # (2, tokens, d / 2)
    s, t = torch.baddbmm(biases, z, matrices).view(2, -1, paths, b, m // 2)
    y = torch.stack([s + t, s - t], 3)  # (tokens, paths, b, 2, m / 2)
    return y.view(*x.shape[:-1], paths, b * m)


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


def circulant_product(x: Tensor, columns: Tensor) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
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


def _blocks(turns: Tensor) -> Tensor:
    """Map (..., 2 m), c[-m] ... c[m - 1] of each block, to the blocks (..., m, m), transposed.

    Entry [q, p] is c[p - q]. Copies of the turns, 2 m apart, are read 2 m - 1 apart, so each row
    starts one entry earlier.
    """
    m = turns.shape[-1] // 2
    copies = turns[..., None, :].expand(*turns.shape[:-1], m, 2 * m).flatten(-2)
    return copies[..., m:].unflatten(-1, (m, 2 * m - 1))[..., :m]
