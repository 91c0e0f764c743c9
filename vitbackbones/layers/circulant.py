"""Block-circulant linear maps (Aug-ViT, Sec. 3.3, Eq. 13-14).

A d x d matrix is cut into b x b blocks of m = d / b; each block is circulant and stored as its
first column c[i, j] (i: output block, j: input block):

    W[i*m + p, j*m + q] = c[i, j, (p - q) mod m],      y_i = sum_j c[i, j] * x_j  (circular)

so b * d numbers describe it. Three exact ways to apply it are given: as a dense matrix product; as
two products of half the size; and through the real FFT, O(d log m + b d) per token. The paper's
Eq. 14, F(Z) . F(c), is the product with *first columns*, as here; with its Eq. 13 (rows) it would
need a conjugate.
"""

import torch
import torch.nn.functional as F
from torch import Tensor


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
    """The same as :func:`circulant_dense` in half the multiplications; m must be even.

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
    s, t = (y.unflatten(-1, (paths, b, m // 2)) for y in (s, t))
    return torch.cat([s + t, s - t], -1).flatten(-2)  # (..., paths, b, m) -> (..., paths, d)


def circulant_fft(x: Tensor, columns: Tensor) -> Tensor:
    """The same as :func:`circulant_dense` through the real FFT (float32 and float64)."""
    paths, b, _, m = columns.shape
    x_freq = torch.fft.rfft(x.reshape(-1, b, m))  # (tokens, b, m // 2 + 1)
    c_freq = torch.fft.rfft(columns)  # (paths, b, b, m // 2 + 1)
    x_freq = x_freq.permute(2, 0, 1)  # (frequency, tokens, b_in)
    c_freq = c_freq.permute(3, 2, 0, 1).flatten(2)  # (frequency, b_in, paths * b_out)
    y_freq = torch.bmm(x_freq, c_freq).permute(1, 2, 0)  # (tokens, paths * b_out, frequency)
    y = torch.fft.irfft(y_freq, n=m)  # (tokens, paths * b_out, m)
    return y.reshape(*x.shape[:-1], paths, b * m)
