"""One convolution on each map, the neck of Deformable DETR and DINO.

Parameters, keys and numbers are those of mmdet's ``ChannelMapper`` where the backbone gives all
strides, so its checkpoints load. Other strides are made first, see ``necks.base``.
"""

from collections.abc import Sequence

from mmcv.cnn import ConvModule
from torch import Tensor, nn

from .base import Neck
from .fpn import XAVIER

GROUP_NORM = {'type': 'GN', 'num_groups': 32}


class ChannelMapper(Neck):
    """A convolution and a norm on each map; further levels by convolutions of stride 2.

    Defaults are those of Deformable DETR: 1 x 1 convolutions, GroupNorm, no activation.

    Args:
        in_channels, out_strides, out_channels, num_outs: see
            :class:`~vitbackbones.necks.base.Neck`. Levels coarser than all maps are
            further levels.
        in_strides: strides of the maps; by default they are taken for the levels, as mmdet does.
        kernel_size: of the convolutions on the maps; odd.
        norm_cfg, act_cfg: norm and activation behind every convolution; ``None`` for none.
        init_cfg: as of mmengine's modules.
    """

    def __init__(
        self,
        in_channels: Sequence[int],
        in_strides: Sequence[int] | None = None,
        out_strides: Sequence[int] = (8, 16, 32),
        out_channels: int = 256,
        num_outs: int | None = None,
        kernel_size: int = 1,
        norm_cfg: dict | None = GROUP_NORM,
        act_cfg: dict | None = None,
        init_cfg: dict | list[dict] | None = XAVIER,
    ) -> None:
        super().__init__(
            in_channels,
            in_strides or out_strides,
            out_strides,
            out_channels,
            num_outs,
            add_extra_convs=True,
            init_cfg=init_cfg,
        )

        def conv(channels: int, kernel_size: int, stride: int = 1) -> ConvModule:
            parts: dict = {'norm_cfg': norm_cfg, 'act_cfg': act_cfg}
            padding = kernel_size // 2
            return ConvModule(channels, out_channels, kernel_size, stride, padding, **parts)

        widths = self.resample.channels
        self.convs = nn.ModuleList(conv(width, kernel_size) for width in widths)
        further = [widths[-1], *[out_channels] * self.extra][: self.extra]
        self.extra_convs = nn.ModuleList(conv(width, 3, stride=2) for width in further)

    def forward(self, maps: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """Turn the maps (N, C_i, h_i, w_i) of a backbone into ``num_outs`` levels."""
        brought = self.bring(maps)
        levels = [conv(x) for conv, x in zip(self.convs, brought, strict=True)]
        return self.extended(levels, {'on_input': brought[-1]}, self.extra_convs)
