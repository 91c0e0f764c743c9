"""Feature pyramid network (Lin et al., CVPR 2017, https://arxiv.org/abs/1612.03144).

Parameters, keys and numbers are those of mmdet's and mmseg's ``FPN`` where the backbone gives all
strides, so their checkpoints load. Other strides are made first, see ``necks.base``.
"""

import torch.nn.functional as F
from mmcv.cnn import ConvModule
from torch import Tensor, nn

from .base import Neck

XAVIER = {'type': 'Xavier', 'layer': 'Conv2d', 'distribution': 'uniform'}


class FPN(Neck):
    """A 1 x 1 convolution on each map, sums from coarse to fine, a 3 x 3 convolution on each sum.

    Args:
        in_channels, in_strides, out_strides, out_channels, num_outs: see
            :class:`~vitbackbones.necks.base.Neck`. Levels coarser than all maps are
            further levels.
        add_extra_convs, relu_before_extra_convs: how further levels are made.
        norm_cfg, act_cfg: norm and activation behind every convolution; ``None`` for none.
        init_cfg: as of mmengine's modules.
    """

    def __init__(
        self,
        *levels,
        norm_cfg: dict | None = None,
        act_cfg: dict | None = None,
        init_cfg: dict | list[dict] | None = XAVIER,
        **options,
    ) -> None:
        super().__init__(*levels, init_cfg=init_cfg, **options)
        out_channels = self.out_channels

        def conv(channels: int, kernel_size: int, stride: int = 1) -> ConvModule:
            sizes = {'stride': stride, 'padding': kernel_size // 2}
            parts = {'norm_cfg': norm_cfg, 'act_cfg': act_cfg, 'inplace': False}
            return ConvModule(channels, out_channels, kernel_size, **sizes, **parts)

        widths = self.resample.channels
        self.lateral_convs = nn.ModuleList(conv(width, 1) for width in widths)
        self.fpn_convs = nn.ModuleList(conv(out_channels, 3) for _ in widths)
        for i in range(self.extra if self.extra_source else 0):
            first = i == 0 and self.extra_source == 'on_input'
            self.fpn_convs.append(conv(widths[-1] if first else out_channels, 3, stride=2))

    def forward(self, maps: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """Turn the maps (N, C_i, h_i, w_i) of a backbone into ``num_outs`` levels."""
        brought = self.bring(maps)
        sums = [conv(x) for conv, x in zip(self.lateral_convs, brought, strict=True)]
        for i in reversed(range(1, len(sums))):
            size = sums[i - 1].shape[2:]
            sums[i - 1] = sums[i - 1] + F.interpolate(sums[i], size=size, mode='nearest')
        convs = [*self.fpn_convs]
        levels = [conv(x) for conv, x in zip(convs, sums, strict=False)]
        last = {'on_input': brought[-1], 'on_lateral': sums[-1], 'on_output': levels[-1]}
        return self.extended(levels, last, convs[len(sums) :])
