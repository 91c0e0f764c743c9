"""Augmented shortcuts (Tang et al., "Augmented Shortcuts for Vision Transformers", 2021).

Besides the identity, T parallel learned paths lead around a residual branch (Eq. 8-11), so that
tokens stay diverse in depth. The published code is followed where the paper differs from it:

* the paths read the branch's input after the LayerNorm, not the residual stream;
* every path is affine with a bias; with one path there is no activation, with more each ends in
  a GELU;
* the two-path form multiplies the whole sum by 3/4;
* paths are never dropped, stochastic depth acts on the branch alone.

    T = 1:   x + branch + A(n)              T = 2:   3/4 (x + branch + A1(n) + A2(n))
"""

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..errors import OptionError
from .circulant import circulant_dense, circulant_fft, circulant_halves
from .parts import SHORTCUTS, register
from .shortcut import scale_linear


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
    """

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
        if projection not in ('circulant', 'dense'):
            raise OptionError(f"projection={projection!r} is neither 'circulant' nor 'dense'")
        if projection == 'circulant' and embed_dims % blocks:
            raise OptionError(f'embed_dims={embed_dims} is no multiple of blocks={blocks}')
        self.projection = projection
        self.scale = scale if scale is not None else (0.75 if paths == 2 else 1.0)
        columns = (blocks, blocks, embed_dims // blocks)
        shape = columns if projection == 'circulant' else (embed_dims, embed_dims)
        self.weight = nn.Parameter(torch.empty(paths, *shape))
        self.bias = nn.Parameter(torch.empty(paths, embed_dims))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """As published: circulant U(+-1/sqrt(d)), dense trunc-normal 0.02 with bias 0."""
        if self.projection == 'dense':
            nn.init.trunc_normal_(self.weight, std=0.02)
            nn.init.zeros_(self.bias)
        else:
            bound = 1 / math.sqrt(self.bias.shape[1])
            nn.init.uniform_(self.weight, -bound, bound)
            nn.init.uniform_(self.bias, -bound, bound)

    def forward(self, x: Tensor, normed: Tensor, branch: Tensor) -> Tensor:
        """Map the stream, its normalised copy and the branch, all (N, L, d), to (N, L, d)."""
        total = x + branch + self.augment(normed)
        return total if self.scale == 1.0 else total * self.scale

    def fold_into(self, last: nn.Linear) -> nn.Module:
        """Multiply the factor into the branch's ``last`` layer; return what then remains."""
        scale_linear(last, self.scale)
        return FoldedAugmentedShortcut(self)

    def augment(self, normed: Tensor) -> Tensor:
        """Return the sum of the learned paths, (N, L, d)."""
        out = self._project(normed) + self.bias  # (N, L, paths, d)
        if len(self.weight) > 1:
            out = F.gelu(out)
        return out.sum(2)

    def _project(self, x: Tensor) -> Tensor:
        if self.projection == 'dense':
            return F.linear(x, self.weight.flatten(0, 1)).unflatten(-1, (len(self.weight), -1))
        return _circulant_product(x, self.weight)(x, self.weight)

    def extra_repr(self) -> str:
        return f'weight={tuple(self.weight.shape)}, scale={self.scale}'


class FoldedAugmentedShortcut(nn.Module):
    """For inference, where the branch is scaled already: overwrites ``branch``."""

    def __init__(self, shortcut: AugmentedShortcut) -> None:
        super().__init__()
        self.paths = shortcut

    def forward(self, x: Tensor, normed: Tensor, branch: Tensor) -> Tensor:
        scale = self.paths.scale
        return branch.add_(x, alpha=scale).add_(self.paths.augment(normed), alpha=scale)
