"""Keys and values on a coarser grid (PVT v1, Sec. 3.3, Eq. 3)."""

import torch.nn.functional as F
from torch import Tensor, nn


class SpatialReduction(nn.Module):
    """Merge patches of ``ratio`` x ``ratio`` tokens by a strided convolution and a LayerNorm.

    A rest of less than ``ratio`` rows or columns is left out, as in the published code; a grid
    smaller than one patch is zero-padded to one.
    """

    def __init__(self, embed_dims: int, ratio: int) -> None:
        super().__init__()
        self.ratio = ratio
        self.conv = nn.Conv2d(embed_dims, embed_dims, ratio, ratio)
        self.norm = nn.LayerNorm(embed_dims, eps=1e-5)

    def forward(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        """Map (N, h * w, C) with ``size`` (h, w) to (N, h' * w', C), h' = max(h // ratio, 1)."""
        h, w = size
        x = x.transpose(1, 2).unflatten(2, (h, w))  # (N, C, h, w)
        x = F.pad(x, (0, max(self.ratio - w, 0), 0, max(self.ratio - h, 0)))
        return self.norm(self.conv(x).flatten(2).transpose(1, 2))  # (N, h' * w', C)
