"""Attention in windows of the grid, for plain hosts on large images.

Li et al., "Exploring Plain Vision Transformer Backbones for Object Detection", ECCV 2022, Sec. 3
("Backbone adaptation"): a ViT that was trained with global attention is fine-tuned with most of its
blocks in windows that do not overlap and are not shifted. The few blocks that stay global,
evenly spread, carry information from window to window. No parameter changes.

The published code pads the grid with zeros until the window divides it, and the zeros take part
as keys. Here a side is cut into as few windows as it needs, the first ones of which are one token
longer than the others: 64 tokens in windows of at most 14 are 13, 13, 13, 13 and 12. So no token
is made up, every window stays on the fused kernel without a mask, and none is a sliver. Both
forms are the same where the window divides the grid, and one window is global attention.

Tokens before those of the grid, such as a class token, are in every window: the grid's tokens
always see them, and each of their answers is the mean of those that it gets in the windows.
"""

from collections.abc import Callable
from operator import index

import torch
from torch import Tensor, nn

from .attention import attend_in_runs, bias_between, equal_runs
from .parts import require_size

Kinds = list[tuple[int, int]]


class Windows(nn.Module):
    """Cut the tokens of a grid into windows and apply an attention to each of them alone.

    Args:
        window_size: tokens along a side of a window, at most.

    Raises:
        OptionError: ``window_size`` is not an integer from 1.
    """

    fixed_size = 'the number of windows is a constant of a graph'

    def __init__(self, window_size: int) -> None:
        super().__init__()
        require_size('window_size', window_size)
        self.window_size = window_size

    def forward(
        self, attention: Callable[[Tensor], Tensor], x: Tensor, first: int, size: tuple[int, int]
    ) -> Tensor:
        """Map tokens (N, first + h * w, C) of the grid ``size`` (h, w) to tokens of this shape."""
        size = (index(size[0]), index(size[1]))  # constants of a graph, and so is the number below
        if max(size) <= self.window_size:
            return attention(x)
        order, back = self._orders(first, size, x.device)
        runs = attend_in_runs(attention, x.index_select(1, order), self._kinds(size), first)
        return runs.index_select(1, back)

    def apart(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        """Return the bias (L, L) of tokens (N, L, C): 0 within a window, -inf between two."""
        order, _ = self._orders(0, size, x.device)
        lengths = [run for tokens, run in self._kinds(size) for _ in range(tokens // run)]
        return bias_between(order.split(lengths), x)

    def extra_repr(self) -> str:
        return f'window_size={self.window_size}'

    def _sides(self, size: tuple[int, int]) -> list[Kinds]:
        """Return into which runs the rows and the columns of a grid are cut."""
        return [equal_runs(side, -(-side // self.window_size)) for side in size]

    def _kinds(self, size: tuple[int, int]) -> Kinds:
        """Return how many tokens are in windows of which number of tokens, in their order."""
        rows, columns = self._sides(size)
        return [(m * n, height * width) for m, height in rows for n, width in columns]

    def _orders(
        self, first: int, size: tuple[int, int], device: torch.device
    ) -> tuple[Tensor, Tensor]:
        """Return the tokens (first + h * w,) window by window, and where each token is then."""
        h, w = size
        rows, columns = self._sides(size)
        grid = torch.arange(first, first + h * w, device=device).view(h, w)
        runs = [torch.arange(first, device=device)]
        for band, (_, height) in zip(grid.split([m for m, _ in rows]), rows, strict=True):
            pieces = band.split([n for n, _ in columns], 1)
            for piece, (_, width) in zip(pieces, columns, strict=True):
                cut = piece.unflatten(1, (-1, width)).unflatten(0, (-1, height))
                runs.append(cut.transpose(1, 2).flatten())  # (rows, columns, height, width)
        order = torch.cat(runs)
        return order, order.argsort()
