"""Position codes: learned ones resized to other grids, and fixed ones for any grid."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from ..errors import OptionError


def resize_map(code: Tensor, size: tuple[int, int], mode: str = 'bicubic') -> Tensor:
    """Interpolate a map (1, C, h, w) to ``size``, without aligned corners."""
    if tuple(code.shape[2:]) == tuple(size):
        return code
    return F.interpolate(code, size=tuple(size), mode=mode, align_corners=False)


def resize_position(
    code: Tensor, old: tuple[int, int], new: tuple[int, int], mode: str = 'bicubic'
) -> Tensor:
    """Interpolate a position code from one token grid to another.

    Args:
        code: (1, extra + h * w, C); leading extra tokens (the class token's) are kept as is.
        old: (h, w) of ``code``.
        new: (H, W) wanted.
        mode: ``'bicubic'`` (DeiT) or ``'bilinear'`` (PVT), without aligned corners.

    Returns:
        (1, extra + H * W, C).
    """
    if tuple(old) == tuple(new):
        return code
    extra = code.shape[1] - old[0] * old[1]
    grid = code[:, extra:].transpose(1, 2).unflatten(2, tuple(old))  # (1, C, h, w)
    grid = resize_map(grid, new, mode)
    return torch.cat([code[:, :extra], grid.flatten(2).transpose(1, 2)], 1)  # (1, extra + HW, C)


def fit_position(code: Tensor, extra: int, size: tuple[int, int], mode: str = 'bicubic') -> Tensor:
    """Make a checkpoint's position code fit a model of another input size.

    Args:
        code: (1, n, C) as stored: a grid, with or without one leading class token; or a map
            (1, C, h, w).
        extra: 1 if the model has a class token, else 0.
        size: the model's grid; a grid of another size in ``code`` must be square.
        mode: see :func:`resize_position`.

    Returns:
        (1, extra + size[0] * size[1], C), or the map (1, C, *size).

    Raises:
        OptionError: ``code`` is no square grid, or lacks the class token that the model has.
    """
    if code.ndim == 4:
        return resize_map(code, size, mode)
    count, area = code.shape[1], size[0] * size[1]
    if count == extra + area:
        return code
    square = math.isqrt(count) ** 2 == count
    stored = 0 if square and count != 1 + area else 1
    side = math.isqrt(count - stored)
    old = size if count - stored == area else (side, side)
    if old[0] * old[1] != count - stored or stored < extra:
        raise OptionError(f'a position code of {count} tokens fits no grid of {extra} + {size}')
    return resize_position(code[:, stored - extra :], old, size, mode)


def sinusoid_position(count: int, dims: int) -> Tensor:
    """Return the fixed code of Vaswani et al. (2017), Sec. 3.5, for ``count`` tokens in a row.

    Returns:
        (1, count, dims): sin(p / 10000^(2i / dims)) at 2i, the cosine at 2i + 1.
    """
    rate = 10000 ** (-torch.arange(0, dims, 2, dtype=torch.float64) / dims)
    angle = torch.arange(count, dtype=torch.float64)[:, None] * rate  # (count, dims / 2)
    return torch.stack([angle.sin(), angle.cos()], 2).flatten(1)[None].float()  # (1, count, dims)


def sincos_position(size: tuple[int, int], dims: int, device: torch.device) -> Tensor:
    """Fixed two-dimensional sine-cosine code of a grid, in integer patch coordinates from 0.

    The frequencies are w_t = 10000^(-t / (D - 1)), t = 0 .. D - 1, with D = dims / 4; a channel
    is one of [sin(x w), cos(x w), sin(y w), cos(y w)], x the column and y the row. A larger grid
    goes on counting, it is not rescaled.

    Returns:
        (h * w, dims) in float32.
    """
    count = dims // 4
    steps = torch.arange(count, device=device) / (count - 1)
    waves = [torch.arange(side, device=device)[:, None] * 10000**-steps for side in size]
    y, x = (torch.cat([wave.sin(), wave.cos()], 1) for wave in waves)  # (h, 2 D), (w, 2 D)
    h, w = size
    return torch.cat([x.expand(h, -1, -1), y[:, None].expand(-1, w, -1)], 2).flatten(0, 1)
