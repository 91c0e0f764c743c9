"""One map for each wanted stride, for heads with a pyramid of their own (UPerNet, Mask2Former)."""

from collections.abc import Sequence

from torch import Tensor, nn

from ...layers import MapNorm
from .base import Neck


class Levels(Neck):
    """Each map at its stride, through a 1 x 1 convolution and a LayerNorm to ``out_channels``.

    Args:
        in_channels, in_strides, out_strides, num_outs: see
            :class:`~vitbackbones.backbones.necks.base.Neck`. Coarser levels are
            pooled, further ones are every second position of the one before.
        out_channels: channels of each level; ``None`` leaves the maps as they are. Enlarged maps
            then have half the channels for each step.
        init_cfg: as of mmengine's modules.
    """

    def __init__(
        self,
        in_channels: Sequence[int],
        in_strides: Sequence[int],
        out_strides: Sequence[int] = (4, 8, 16, 32),
        out_channels: int | None = 256,
        num_outs: int | None = None,
        init_cfg: dict | list[dict] | None = None,
    ) -> None:
        shapes = (in_channels, in_strides, out_strides, out_channels, num_outs)
        super().__init__(*shapes, pooled=True, init_cfg=init_cfg)
        self.projections = nn.ModuleList(
            nn.Identity() if out_channels is None else projection(width, out_channels)
            for width in self.resample.channels
        )

    def forward(self, maps: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """Turn the maps (N, C_i, h_i, w_i) of a backbone into ``num_outs`` levels."""
        maps = self.bring(maps)
        levels = [project(x) for project, x in zip(self.projections, maps, strict=True)]
        return self.extended(levels, {}, ())


def projection(in_channels: int, out_channels: int) -> nn.Sequential:
    """Return a 1 x 1 convolution and a LayerNorm."""
    conv = nn.Conv2d(in_channels, out_channels, 1, bias=False)
    return nn.Sequential(conv, MapNorm(out_channels, eps=1e-6))
