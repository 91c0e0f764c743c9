"""Images (or maps) to patch tokens, tokens to maps, and the position codes of their grid.

Every stem maps an image of any size to its patch tokens and their grid; the usual one is a
convolution whose stride is its kernel. Position codes are learned ones, resized to other grids,
or fixed ones for any grid.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..errors import OptionError
from .graphs import is_exported, is_traced
from .parts import STEMS, register

TOKENS = ('class', 'distillation')  # before the patches


def pad_map(x: Tensor, sides: tuple[int, ...], value: float = 0.0) -> Tensor:
    """Pad a map as ``F.pad`` does, but without its copy where there is nothing to pad."""
    # a graph for other sizes, too, must not depend on those of its example
    return F.pad(x, sides, value=value) if is_traced() or any(sides) else x


def pad_to_multiple(x: Tensor, multiple: int, value: float = 0.0) -> Tensor:
    """Pad a map (N, C, H, W) at the bottom and the right to multiples of ``multiple``."""
    h, w = x.shape[-2:]
    # rounded up by a quotient of what is positive: torch.compile cannot trace the modulo of a
    # negative symbolic size, and ONNX rounds a negative quotient toward zero
    height, width = ((n + multiple - 1) // multiple * multiple for n in (h, w))
    return pad_map(x, (0, width - w, 0, height - h), value)


def cut_map(x: Tensor, size: tuple[int, int]) -> Tensor:
    """Return the upper left ``size`` of a map (N, C, H, W)."""
    if not any(isinstance(side, torch.SymInt) for side in size):
        return x[..., : size[0], : size[1]]
    # the strides of a view would tie a graph for any size to what its example had to cut
    for dim, side in zip((2, 3), size, strict=True):
        x = x.index_select(dim, torch.arange(side, device=x.device))
    return x


def require_channels(image: Tensor, expected: int) -> None:
    """Raise an ``OptionError`` unless an image (N, C, H, W) has the ``expected`` channels."""
    if image.shape[1] != expected:
        raise OptionError(f'expected an image of {expected} channels, but got {image.shape[1]}')


@register(STEMS)
class PatchEmbed(nn.Module):
    """Cut a map into patches and project each to a token; any size, padded inside.

    Args:
        in_channels: channels of the map.
        embed_dims: width of the tokens.
        patch_size: side of a patch in pixels.
        norm_eps: epsilon of a LayerNorm on the tokens; ``None`` for no norm.
    """

    def __init__(
        self, in_channels: int, embed_dims: int, patch_size: int, norm_eps: float | None = None
    ) -> None:
        super().__init__()
        self.patch_size = patch_size
        self.proj = nn.Conv2d(in_channels, embed_dims, patch_size, patch_size)
        self.norm = nn.Identity() if norm_eps is None else nn.LayerNorm(embed_dims, eps=norm_eps)

    def forward(self, x: Tensor) -> tuple[Tensor, tuple[int, int]]:
        """Map (N, in_channels, H, W) to tokens (N, h * w, C) and (h, w), rounded up."""
        x = self.proj(pad_to_multiple(x, self.patch_size))
        size = (x.shape[2], x.shape[3])
        return self.norm(x.flatten(2).transpose(1, 2)), size  # (N, C, h, w) -> (N, h * w, C)


def to_map(tokens: Tensor, size: tuple[int, int]) -> Tensor:
    """Lay tokens (N, h * w, C) out as a map (N, C, h, w)."""
    return tokens.transpose(1, 2).unflatten(2, tuple(size)).contiguous()


class MapNorm(nn.LayerNorm):
    """LayerNorm over the channels of a map (N, C, H, W), position by position."""

    def forward(self, x: Tensor) -> Tensor:
        """Keep the shape."""
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)  # (N, H, W, C) inside


def average_map(x: Tensor, pool: int) -> Tensor:
    """Average a map over cells of ``pool`` x ``pool``, rounded up.

    A cell cut by the border is the mean of what it covers.
    """
    if pool == 1:
        return x
    if not is_exported():
        return F.avg_pool2d(x, pool, ceil_mode=True, count_include_pad=False)
    # rounding up inside would tie a graph for any size to the remainder of its example
    covered = pad_to_multiple(torch.ones_like(x[:1, :1]), pool)
    return F.avg_pool2d(pad_to_multiple(x, pool), pool) / F.avg_pool2d(covered, pool)


def max_map(x: Tensor, pool: int) -> Tensor:
    """Return the largest of every cell of ``pool`` x ``pool`` of a map, rounded up."""
    if not is_exported():
        return F.max_pool2d(x, pool, ceil_mode=True)
    return F.max_pool2d(pad_to_multiple(x, pool, float('-inf')), pool)  # as above


def is_of_size(old: Sequence[int], new: Sequence[int]) -> bool:
    """Return whether there is nothing to resize; a graph for any size resizes without a change."""
    open_ = is_exported() and any(isinstance(side, torch.SymInt) for side in new)
    return not open_ and tuple(old) == tuple(new)


def resize_map(code: Tensor, size: Sequence[int], mode: str = 'bicubic') -> Tensor:
    """Interpolate a map (1, C, h, w) to ``size``, without aligned corners."""
    if is_of_size(code.shape[2:], size):
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
    if is_of_size(old, new):
        return code
    extra = code.shape[1] - old[0] * old[1]
    grid = code[:, extra:].transpose(1, 2).unflatten(2, tuple(old))  # (1, C, h, w)
    grid = resize_map(grid, new, mode)
    return torch.cat([code[:, :extra], grid.flatten(2).transpose(1, 2)], 1)  # (1, extra + HW, C)


@dataclass(frozen=True)
class Origin:
    """What is known of the image size that a checkpoint was made for.

    Attributes:
        img_size: (height, width) in pixels, None where the file does not tell.
        doubt: what to do then with as many cells as the model has in another shape: ``'same'``
            takes the model's grid, ``'square'`` a square one if it can, ``'ask'`` is an error.
    """

    img_size: tuple[int, int] | None = None
    doubt: str = 'same'


UNKNOWN = Origin()


def stored_grid(cells: int, size: tuple[int, int], origin: Origin) -> tuple[int, int] | None:
    """Return the grid (h, w) of so many ``cells`` in a checkpoint, None if nothing tells it.

    Args:
        cells: at least 1.
        size: the model's grid.
        origin: of the checkpoint.

    Raises:
        OptionError: it may be the model's grid or another one.
    """
    if origin.img_size:
        height, width = origin.img_size
        sides = [side for side in range(1, math.isqrt(cells) + 1) if cells % side == 0]
        pairs = [(a, cells // a) for a in sides] + [(cells // a, a) for a in sides]
        # rounded up to whole cells, so that the ratio of the sides is about that of the image
        return min(pairs, key=lambda pair: abs(math.log(pair[0] * width / (pair[1] * height))))
    side = math.isqrt(cells)
    same = cells == size[0] * size[1]
    square = cells == side * side
    if square and (not same or size[0] == size[1] or origin.doubt == 'square'):
        return side, side
    if same and origin.doubt != 'ask':
        return size
    if same:
        raise OptionError(
            f'the file does not state the grid of its {cells} positions, and the model has '
            f'{size[0]} x {size[1]}. Give the image size that the file was trained for: '
            'stored_size=(height, width) of create_model, load_pretrained or init_cfg'
        )
    return None


def fit_position(
    code: Tensor,
    extra: int,
    size: tuple[int, int],
    mode: str = 'bicubic',
    leading: int | None = None,
    origin: Origin = UNKNOWN,
) -> Tensor:
    """Make a checkpoint's position code fit a model of another input size.

    Args:
        code: (1, n, C) as stored: a grid behind up to two other tokens (the class token, then the
            distillation token); or a map (1, C, h, w).
        extra: how many of these tokens the model has.
        size: the model's grid.
        mode: see :func:`resize_position`.
        leading: how many of these tokens the checkpoint has, by default as many as the model; other
            numbers are tried where that one cannot be.
        origin: what is known of the grid of ``code``; where nothing is, it must be square or the
            model's.

    Returns:
        (1, extra + size[0] * size[1], C), or the map (1, C, *size).

    Raises:
        OptionError: ``code`` is of a grid that nothing tells, or lacks one of the model's tokens.
    """
    if code.ndim == 4:
        return resize_map(code, size, mode)
    count = code.shape[1]
    for stored in dict.fromkeys((extra if leading is None else leading, 0, 1, 2)):
        old = stored_grid(count - stored, size, origin) if count > stored else None
        if old is not None:
            break
    else:
        raise OptionError(
            f'a position embedding of {count} tokens fits no grid of {extra} + {size}'
        )
    if stored < extra:
        names = ' and '.join(TOKENS[stored:extra])
        raise OptionError(
            f'a position embedding of {count} tokens has {stored} before its grid of {old[0]} x '
            f'{old[1]}, but the model has {extra}: the {names} token is missing. Was the file '
            'trained without it?'
        )
    code = torch.cat([code[:, :extra], code[:, stored:]], 1)  # (1, extra + h * w, C)
    return resize_position(code, old, size, mode)


def sinusoid_position(count: int, dims: int) -> Tensor:
    """Return the fixed code of Vaswani et al. (2017), Sec. 3.5, for ``count`` tokens in a row.

    Returns:
        (1, count, dims): sin(p / 10000^(2i / dims)) at 2i, the cosine at 2i + 1.
    """
    rate = 10000 ** (-torch.arange(0, dims, 2, dtype=torch.float64) / dims)
    angle = torch.arange(count, dtype=torch.float64)[:, None] * rate  # (count, dims / 2)
    return torch.stack([angle.sin(), angle.cos()], 2).flatten(1)[None].float()  # (1, count, dims)


def sincos_position(size: tuple[int, int], dims: int, device: torch.device) -> Tensor:
    """Return the fixed sine-cosine code of a grid, in integer patch coordinates from 0.

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
    code = torch.cat([x.expand(h, -1, -1), y[:, None].expand(-1, w, -1)], 2)  # (h, w, 4 D)
    return code.flatten(0, 1)
