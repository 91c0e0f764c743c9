"""Attention in shifted windows (Liu et al., "Swin Transformer", 2021, Sec. 3.2).

The map is cut into windows of M x M tokens, and every window attends to itself. In every other
block the map is first rolled by M / 2, so that windows reach over the borders of the last ones;
tokens that were no neighbours before the roll are kept apart by -100 in the scores. A learned
bias for every relative position (and head) is added to the scores too. Both go to the attention as
one ``bias``, so any attention that takes one works in windows.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..errors import OptionError
from .block import Block


def partition_windows(x: Tensor, window: int) -> Tensor:
    """Cut a map (N, h * M, w * M, C) into windows (N * h * w, M * M, C)."""
    x = x.unflatten(2, (-1, window)).unflatten(1, (-1, window))  # (N, h, M, w, M, C)
    return x.transpose(2, 3).flatten(3, 4).flatten(0, 2)  # (N * h * w, M * M, C)


def merge_windows(x: Tensor, window: int, grid: tuple[int, int]) -> Tensor:
    """Lay windows (N * h * w, M * M, C) out as the map (N, *grid, C), grid = (h * M, w * M)."""
    x = x.unflatten(0, (-1, grid[0] // window, grid[1] // window))  # (N, h, w, M * M, C)
    x = x.unflatten(3, (window, window)).transpose(2, 3)  # (N, h, M, w, M, C)
    return x.flatten(3, 4).flatten(1, 2)  # (N, h * M, w * M, C)


def relative_position_index(window: int) -> Tensor:
    """Return (M * M, M * M) rows of the bias table, by dy * (2 M - 1) + dx from 0."""
    y, x = torch.meshgrid(torch.arange(window), torch.arange(window), indexing='ij')
    y, x = y.flatten(), x.flatten()
    dy, dx = y[:, None] - y + window - 1, x[:, None] - x + window - 1
    return dy * (2 * window - 1) + dx


def shift_mask(
    grid: tuple[int, int], window: int, shift: tuple[int, int], device: torch.device
) -> Tensor:
    """Return (h * w, M * M, M * M): -100 between tokens that the roll made neighbours, else 0."""
    regions = []
    for side, step in zip(grid, shift, strict=True):
        place = torch.arange(side, device=device)
        region = (place >= side - window).int() + (place >= side - step).int()
        regions.append(region if step else torch.zeros_like(region))
    region = 3 * regions[0][:, None] + regions[1]  # (h * M, w * M)
    region = partition_windows(region[None, :, :, None], window).flatten(1)  # (h * w, M * M)
    return -100.0 * (region[:, None] != region[:, :, None])


class WindowBlock(Block):
    """A transformer block that attends in windows.

    The map is zero-padded to whole windows after the norm; padded tokens take part as keys, as in
    the published code. A side of one window only is not shifted.

    Args:
        embed_dims, num_heads: as for :class:`~vitbackbones.layers.Block`.
        window: side M of a window in tokens.
        shift: tokens that the map is rolled by.
        position_bias: whether relative positions have a bias.
        options: further arguments of :class:`~vitbackbones.layers.Block`.

    Raises:
        OptionError: the attention cannot add a bias to its scores.
    """

    residuals = Block.residuals

    def __init__(
        self,
        embed_dims: int,
        num_heads: int,
        window: int,
        shift: int,
        position_bias: bool = True,
        **options,
    ) -> None:
        super().__init__(embed_dims, num_heads, **options)
        if not getattr(self.attn, 'takes_bias', False):
            raise OptionError(
                f'attention type={type(self.attn).__name__!r} does not work in shifted windows: '
                'it takes no bias, in which they hand over their mask and positions'
            )
        self.window, self.shift = window, shift
        table = nn.init.trunc_normal_(torch.empty((2 * window - 1) ** 2, num_heads), std=0.02)
        self.relative_position_bias_table = nn.Parameter(table) if position_bias else None
        index = relative_position_index(window)
        self.register_buffer('relative_position_index', index, persistent=False)

    def attend(self, n: Tensor, size: tuple[int, int]) -> Tensor:
        """Apply the attention in windows to tokens (N, h * w, C) of the grid ``size`` (h, w)."""
        h, w = size
        x = n.unflatten(1, (h, w))  # (N, h, w, C)
        x = F.pad(x, (0, 0, 0, -w % self.window, 0, -h % self.window))
        grid = (x.shape[1], x.shape[2])
        shift = tuple(self.shift if side > self.window else 0 for side in grid)
        if any(shift):
            x = x.roll((-shift[0], -shift[1]), (1, 2))
        windows = partition_windows(x, self.window)
        windows = self.attn(windows, bias=self._bias(len(n), grid, shift))
        x = merge_windows(windows, self.window, grid)
        if any(shift):
            x = x.roll(shift, (1, 2))
        return x[:, :h, :w].flatten(1, 2)  # (N, h * w, C)

    def _bias(self, batch: int, grid: tuple[int, int], shift: tuple[int, int]) -> Tensor | None:
        """Position bias and shift mask, (1 or N * windows, heads or 1, M * M, M * M)."""
        bias = self.relative_position_bias_table
        if bias is not None:
            bias = bias[self.relative_position_index].permute(2, 0, 1)[None]
        if not any(shift):
            return bias
        mask = shift_mask(grid, self.window, shift, self.relative_position_index.device)[:, None]
        mask = mask if bias is None else mask + bias  # (windows, heads or 1, M * M, M * M)
        return mask.repeat(batch, 1, 1, 1)
