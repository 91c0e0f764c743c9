"""Masks of point-wise spatial attention (Zhao et al., "PSANet", ECCV 2018).

A pixel predicts a weight for each offset to another pixel. The masks sort these weights by the
other pixel instead. Offsets that lead out of the map are left out.

``sizes`` are those of the masks. Those of the maps are among them, which the tensors have, too.
"""

import torch
from torch import Tensor

COLLECT = 0  # psa_type; 1 distributes


def psamask_forward(input: Tensor, output: Tensor, psa_type: int, **sizes: int) -> None:
    """Fill ``output``, (N, H * W, H, W), from ``input``, (N, h_mask * w_mask, H, W).

    ``output[n, other, y, x]`` collects, and ``output[n, pixel, y, x]`` distributes.
    """
    taps, inside = _taps(input, **sizes)
    # (N, h_mask * w_mask, pixels) -> (N, others, pixels)
    sorted_ = input.flatten(2).gather(1, taps.expand(len(input), -1, -1)) * inside
    output.copy_(_as_type(sorted_, psa_type).view_as(output))


def psamask_backward(grad_output: Tensor, grad_input: Tensor, psa_type: int, **sizes: int) -> None:
    """Fill ``grad_input``, (N, h_mask * w_mask, H, W), from the gradient of the output."""
    taps, inside = _taps(grad_input, **sizes)
    # (N, H * W, H, W) -> (N, others, pixels)
    grad = _as_type(grad_output.flatten(2), psa_type) * inside
    target = torch.zeros_like(grad_input).flatten(2)
    target.scatter_add_(1, taps.expand(len(grad), -1, -1), grad)
    grad_input.copy_(target.view_as(grad_input))


def _as_type(masks: Tensor, psa_type: int) -> Tensor:
    """Return masks (N, others, pixels) as their type has them, and the other way round."""
    return masks if psa_type == COLLECT else masks.transpose(1, 2)


def _taps(
    like: Tensor, h_mask: int, w_mask: int, half_h_mask: int, half_w_mask: int, **of_maps: int
) -> tuple[Tensor, Tensor]:
    """Return the offset from each pixel to each other as a number, and whether there is one."""
    height, width = like.shape[2:]
    pixel = torch.arange(height * width, device=like.device)
    y = pixel // width
    x = pixel % width
    row = y[:, None] - y + half_h_mask  # (others, pixels)
    column = x[:, None] - x + half_w_mask
    inside = (row >= 0) & (row < h_mask) & (column >= 0) & (column < w_mask)
    return torch.where(inside, row * w_mask + column, 0), inside
