"""Masks of point-wise spatial attention: Zhao et al., "PSANet", 2018.

Each position (h, w) of a map of H x W has a mask of h_mask x w_mask entries around it. They become
its attention to all positions (y, x): (N, H W, H, W). ``COLLECT`` has (y, x) in the second axis and
(h, w) in the others; the other type, which distributes, has them exchanged.
"""

import torch
from torch import Tensor

COLLECT = 0


def psamask_forward(
    input: Tensor,
    output: Tensor,
    psa_type: int,
    num_: int,
    h_feature: int,
    w_feature: int,
    h_mask: int,
    w_mask: int,
    half_h_mask: int,
    half_w_mask: int,
) -> None:
    """Fill ``output``, (N, H W, H, W), with the masks ``input``, (N, h_mask w_mask, H, W)."""
    entry, inside = _entries(input, (h_mask, w_mask), (half_h_mask, half_w_mask))
    attention = input.gather(1, entry.expand(num_, -1, -1, -1)) * inside
    output.copy_(attention if psa_type == COLLECT else _exchange(attention))


def psamask_backward(
    grad_output: Tensor,
    grad_input: Tensor,
    psa_type: int,
    num_: int,
    h_feature: int,
    w_feature: int,
    h_mask: int,
    w_mask: int,
    half_h_mask: int,
    half_w_mask: int,
) -> None:
    """Fill ``grad_input``, (N, h_mask w_mask, H, W), from ``grad_output``, (N, H W, H, W)."""
    entry, inside = _entries(grad_output, (h_mask, w_mask), (half_h_mask, half_w_mask))
    grad = grad_output if psa_type == COLLECT else _exchange(grad_output)
    grad_input.zero_().scatter_add_(1, entry.expand(num_, -1, -1, -1), grad * inside)


def _exchange(attention: Tensor) -> Tensor:
    """Exchange (y, x) and (h, w) of (N, H W, H, W)."""
    return attention.flatten(2).transpose(1, 2).reshape(attention.shape)


def _entries(maps: Tensor, mask: tuple[int, int], half: tuple[int, int]) -> tuple[Tensor, Tensor]:
    """Return which entry of its mask (h, w) has for (y, x), and whether it has one: (H W, H, W)."""
    height, width = maps.shape[2:]
    y, h = (torch.arange(height, device=maps.device) for _ in range(2))
    x, w = (torch.arange(width, device=maps.device) for _ in range(2))
    line = (y[:, None] - h + half[0])[:, None, :, None]  # (H, 1, H, 1)
    column = (x[:, None] - w + half[1])[None, :, None]  # (1, W, 1, W)
    inside = (line >= 0) & (line < mask[0]) & (column >= 0) & (column < mask[1])
    entry = (line * mask[1] + column) * inside
    return entry.flatten(0, 1), inside.flatten(0, 1)
