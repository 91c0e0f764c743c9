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

The matrix of a path is block-circulant (Sec. 3.3, Eq. 13-14), see ``layers.circulant``, or dense.
The paper's Eq. 14, F(Z) . F(c), is the product with *first columns*, as here; with its Eq. 13
(rows) it would need a conjugate.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..errors import OptionError
from .circulant import circulant_matrix, circulant_product, dense_paths
from .parts import SHORTCUTS, register, require_choice


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
    (paths, d). Both are ``None`` without a projection. ``default_scale`` is the factor that holds
    where no ``scale`` is given.

    Raises:
        OptionError: ``paths`` or ``blocks`` is below 1, ``blocks`` does not divide the width, an
            option is unknown, or options have no meaning together.
    """

    supports = {'first_token'}
    weight: nn.Parameter  # None with projection='none', and so is the bias
    bias: nn.Parameter

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
            raise OptionError(f'paths={paths}: at least one learned path is required')
        if blocks < 1:
            raise OptionError(f'blocks={blocks}: at least one block per side is required')
        require_choice('projection', projection, ('circulant', 'dense', 'none'))
        require_choice('activation', activation, ('published', 'GELU', None))
        require_choice('order', order, ('projection_first', 'activation_first'))
        require_choice('source', source, ('normed', 'stream'))
        if projection == 'circulant' and embed_dims % blocks:
            raise OptionError(f'embed_dims={embed_dims} is not a multiple of blocks={blocks}')
        if activation == 'published':
            activation = 'GELU' if paths > 1 else None
        if projection == 'none' and activation is None:
            raise OptionError(
                "projection='none' requires an activation: without one, the path does nothing"
            )
        if projection == 'none' and paths > 1:
            problem = "with projection='none' all paths would be equal; use 1"
            raise OptionError(f'paths={paths}: {problem}')
        if order == 'activation_first' and (projection == 'none' or activation is None):
            raise OptionError(
                "order='activation_first' requires both an activation and a projection"
            )
        self.projection = projection
        self.activation = activation
        self.order = order
        self.source = source
        # whether each path ends in the activation; otherwise one map is the sum of all
        self.activated_last = activation is not None and order == 'projection_first'
        self.default_scale = 0.75 if paths == 2 else 1.0
        self.scale = self.default_scale if scale is None else scale
        columns = (blocks, blocks, embed_dims // blocks)
        shape = columns if projection == 'circulant' else (embed_dims, embed_dims)
        made = projection != 'none'
        weight = nn.Parameter(torch.empty(paths, *shape)) if made else None
        self.register_parameter('weight', weight)
        bias = nn.Parameter(torch.empty(paths, embed_dims)) if made else None
        self.register_parameter('bias', bias)
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
        # in place, because no gradient needs the sums before
        total = self.augment(x if self.source == 'stream' else normed, x + branch)
        return total if self.scale == 1.0 else total.mul_(self.scale)

    def fold_for_inference(self) -> None:
        """Write the paths out as matrices, and those of one sum as one."""
        if self.weight is not None:
            weight, bias = self.matrices()  # (paths or 1, d, d), (paths or 1, d)
            self.weight = nn.Parameter(weight)
            self.bias = nn.Parameter(bias)
            self.projection = 'dense'

    def augment(self, source: Tensor, total: Tensor) -> Tensor:
        """Add the paths of ``source`` to ``total``, both (N, L, d), and return it."""
        if self.weight is None:
            return total.add_(F.gelu(source))
        weight, bias = (self.weight, self.bias) if self.activated_last else self._summed()
        if not self.activated_last and self.activation:
            source = F.gelu(source)
        product = dense_paths if self.projection == 'dense' else circulant_product(source, weight)
        paths = product(source, weight, bias)  # (N, L, paths, d)
        if self.activated_last:
            paths = F.gelu(paths) if paths.requires_grad else torch.ops.aten.gelu_(paths)
        for path in paths.unbind(2):
            total.add_(path)
        return total

    def matrices(self) -> tuple[Tensor, Tensor]:
        """Return the fewest maps as matrices, (paths or 1, d, d), and their biases (..., d)."""
        weight, bias = (self.weight, self.bias) if self.activated_last else self._summed()
        return weight if self.projection == 'dense' else circulant_matrix(weight), bias

    def _summed(self) -> tuple[Tensor, Tensor]:
        """Return weight and bias of the map that is the sum of all."""
        return self.weight.sum(0, keepdim=True), self.bias.sum(0, keepdim=True)

    def extra_repr(self) -> str:
        shape = None if self.weight is None else tuple(self.weight.shape)
        return (
            f'weight={shape}, scale={self.scale}, activation={self.activation}, '
            f'order={self.order}, source={self.source}'
        )
