"""What the hosts of one resolution share: input grid, outputs, stages and depths.

Such a "plain" host is a stem that makes patch tokens, ``blocks`` that keep their number and
width, and a final ``norm``. A class token, where there is one, comes first.
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from ..errors import OptionError
from ..layers import average_map, resize_position, to_map
from .base import Backbone, choose_indices, input_size


class PlainBackbone(Backbone):
    """Base of the hosts of one resolution.

    A subclass sets ``cls_token`` (``None`` if it has none), ``pos_drop``, ``blocks`` and ``norm``,
    and gives :meth:`stem_parts`, ``positions`` and ``forward``.

    Args:
        embed_dims: width of the tokens.
        depth: number of blocks.
        img_size: side of the square image (or (height, width)) that the position code is made
            for.
        patch_size: side of a patch in pixels.
        out_indices: blocks whose output is returned; the last one's has the final norm.
        pool: average the output maps over ``pool`` x ``pool``.
        options: arguments of :class:`~vitbackbones.backbones.base.Backbone`.

    Raises:
        OptionError: a bad size, or an index out of range.
    """

    cls_token: nn.Parameter | None

    def __init__(
        self,
        embed_dims: int,
        depth: int,
        img_size: int | tuple[int, int],
        patch_size: int,
        out_indices: int | str | Sequence[int],
        pool: int,
        **options,
    ) -> None:
        super().__init__(**options)
        for name, size in {'patch_size': patch_size, 'pool': pool}.items():
            if not isinstance(size, int) or size < 1:
                raise OptionError(f'{name}={size!r}: a whole number from 1')
        height, width = input_size(img_size)
        self.grid = (math.ceil(height / patch_size), math.ceil(width / patch_size))
        self.pool = pool
        self.out_indices = choose_indices(out_indices, depth)
        self.out_channels = (embed_dims,) * len(self.out_indices)
        self.out_strides = (patch_size * pool,) * len(self.out_indices)

    def stem_parts(self) -> list[nn.Module | Tensor | None]:
        """Return what comes before the blocks; fixed tables and ``None`` may be among it."""
        raise NotImplementedError

    def with_position(self, x: Tensor, code: Tensor, size: tuple[int, int]) -> Tensor:
        """Prepend the class token to (N, h * w, C) and add the code (1, [1 +] n, C) of the grid."""
        if self.cls_token is not None:
            x = torch.cat([self.cls_token.expand(len(x), -1, -1), x], 1)  # (N, 1 + h * w, C)
        return self.pos_drop(x + resize_position(code, self.grid, size))

    def fold_for_inference(self) -> None:
        """Run the last block for the class token alone where only that is returned."""
        if self.out_type == 'cls_token' and self.out_indices == (len(self.blocks) - 1,):
            self.blocks[-1] = self.blocks[-1].for_first_token()

    def read_out(self, x: Tensor, block: int, size: tuple[int, int]) -> Tensor:
        """Turn the tokens (N, [1 +] h * w, C) after a block into the map or vector asked for."""
        if block == len(self.blocks) - 1:
            x = self.norm(x)
        if self.out_type == 'cls_token':
            return x[:, 0]
        x = x if self.cls_token is None else x[:, 1:]
        if self.out_type == 'pooled':
            return x.mean(1)
        return average_map(to_map(x, size), self.pool)  # (N, C, h / pool, w / pool)

    def parts_by_stage(self) -> list[list[nn.Module | nn.Parameter]]:
        stem = [p for p in self.stem_parts() if isinstance(p, nn.Module | nn.Parameter)]
        return [stem, *([block] for block in self.blocks)]

    def layer_depth(self, name: str) -> tuple[int, int]:
        depths = len(self.blocks) + 2
        if name.startswith('blocks.'):
            return int(name.split('.')[1]) + 1, depths
        return (depths - 1 if name.startswith('norm.') else 0), depths
