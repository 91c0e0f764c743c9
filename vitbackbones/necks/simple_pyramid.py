"""Levels from one map each, without sums between them.

:class:`Levels` is for heads with a pyramid of their own (UPerNet, Mask2Former).

:class:`SimpleFeaturePyramid` is that of plain hosts (Li et al., "Exploring Plain Vision Transformer
Backbones for Object Detection", ECCV 2022, Sec. 3 and Appendix A.2): every level is made from the
last map of stride 16 alone, by transposed convolutions (strides 4 and 8), as it is (16) or by max
pooling (32), followed by a 1 x 1 and a 3 x 3 convolution, each with a LayerNorm and neither with an
activation. There are no sums from level to level. The parts and their order are those of
detectron2's ``SimpleFeaturePyramid``; here the map may have any stride.
"""

from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn

from ..layers import MapNorm
from .base import Neck
from .fpn import FPN


def projection(in_channels: int, out_channels: int) -> nn.Sequential:
    """Return a 1 x 1 convolution and a LayerNorm."""
    conv = nn.Conv2d(in_channels, out_channels, 1, bias=False)
    return nn.Sequential(conv, MapNorm(out_channels, eps=1e-6))


class Levels(Neck):
    """Each map at its stride, through a 1 x 1 convolution and a LayerNorm to ``out_channels``.

    Args:
        in_channels, in_strides, out_strides, num_outs: see
            :class:`~vitbackbones.necks.base.Neck`. Coarser levels are
            pooled, further ones are every second position of the one before.
        out_channels: channels of each level; ``None`` leaves the maps as they are. Enlarged maps
            then have half the channels for each step.
        init_cfg: as of mmengine's modules.
    """

    pooled = True

    def __init__(
        self,
        in_channels: Sequence[int],
        in_strides: Sequence[int],
        out_strides: Sequence[int] = (4, 8, 16, 32),
        out_channels: int | None = 256,
        num_outs: int | None = None,
        init_cfg: dict | list[dict] | None = None,
    ) -> None:
        super().__init__(
            in_channels, in_strides, out_strides, out_channels, num_outs, init_cfg=init_cfg
        )
        self.projections = nn.ModuleList(
            nn.Identity() if out_channels is None else projection(width, out_channels)
            for width in self.resample.channels
        )

    def forward(self, maps: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """Turn the maps (N, C_i, h_i, w_i) of a backbone into ``num_outs`` levels."""
        levels = [project(x) for project, x in zip(self.projections, self.bring(maps), strict=True)]
        return self.extended(levels, {}, ())


class SimpleFeaturePyramid(Neck):
    """Levels from one map each, without sums between them.

    Args:
        in_channels, in_strides, out_strides, out_channels, num_outs: see
            :class:`~vitbackbones.necks.base.Neck`. Coarser levels within ``out_strides``
            are pooled.
        add_extra_convs, relu_before_extra_convs: how further levels are made; ``'on_lateral'``
            reads the last level after its 1 x 1 convolution.
        init_cfg: as of mmengine's modules.
    """

    pooled = True

    def __init__(self, *levels, **options) -> None:
        super().__init__(*levels, **options)
        widths = self.resample.channels
        out_channels = self.out_channels

        def conv(channels: int, stride: int = 1) -> nn.Sequential:
            layer = nn.Conv2d(channels, out_channels, 3, stride, padding=1, bias=False)
            return nn.Sequential(layer, MapNorm(out_channels, eps=1e-6))

        self.laterals = nn.ModuleList(projection(width, out_channels) for width in widths)
        self.outputs = nn.ModuleList(conv(out_channels) for _ in widths)
        first = widths[-1] if self.extra_source == 'on_input' else out_channels
        further = [first, *[out_channels] * self.extra][: self.extra if self.extra_source else 0]
        self.extra_convs = nn.ModuleList(conv(width, stride=2) for width in further)

    def forward(self, maps: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """Turn the maps (N, C_i, h_i, w_i) of a backbone into ``num_outs`` levels."""
        brought = self.bring(maps)
        laterals = [lateral(x) for lateral, x in zip(self.laterals, brought, strict=True)]
        levels = [output(x) for output, x in zip(self.outputs, laterals, strict=True)]
        last = {'on_input': brought[-1], 'on_lateral': laterals[-1], 'on_output': levels[-1]}
        return self.extended(levels, last, self.extra_convs)


class Pyramid(Neck):
    """The pyramid that suits the backbone: for several maps an FPN, for one the simple one.

    Arguments as of both.
    """

    def __new__(cls, in_channels: Sequence[int], *levels, **options) -> Any:
        kind = FPN if len(in_channels) > 1 else SimpleFeaturePyramid
        return kind(in_channels, *levels, **options)
