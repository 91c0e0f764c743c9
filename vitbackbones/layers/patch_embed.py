"""Images (or maps) to tokens by a convolution whose stride is its kernel.

The interface that every stem keeps: ``stem(in_channels, embed_dims, patch_size, **own)`` maps an
image of any size to its patch tokens and their grid.
"""

import torch.nn.functional as F
from torch import Tensor, nn

from ..errors import OptionError
from .parts import STEMS, register


def pad_to_multiple(x: Tensor, multiple: int) -> Tensor:
    """Zero-pad a map (N, C, H, W) at the bottom and the right to multiples of ``multiple``."""
    h, w = x.shape[-2:]
    # rounded up by division: torch.compile cannot trace the modulo of a negative symbolic size
    height, width = (-(-n // multiple) * multiple for n in (h, w))
    return F.pad(x, (0, width - w, 0, height - h))


def require_channels(image: Tensor, expected: int) -> None:
    """Refuse an image (N, C, H, W) of another number of channels, where no convolution does.

    Raises:
        OptionError: with both numbers.
    """
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
        size = x.shape[-2:]
        return self.norm(x.flatten(2).transpose(1, 2)), size  # (N, C, h, w) -> (N, h * w, C)


def to_map(tokens: Tensor, size: tuple[int, int]) -> Tensor:
    """Lay tokens (N, h * w, C) out as a map (N, C, h, w)."""
    return tokens.transpose(1, 2).unflatten(2, tuple(size)).contiguous()


def average_map(x: Tensor, pool: int) -> Tensor:
    """Average a map over cells of ``pool`` x ``pool``, rounded up.

    A cell cut by the border is the mean of what it covers.
    """
    return F.avg_pool2d(x, pool, ceil_mode=True, count_include_pad=False) if pool > 1 else x
