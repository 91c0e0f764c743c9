"""SETR-MLA, multi-level feature aggregation: neck, head and auxiliary head.

As released (fudan-zvg/SETR): the neck is inside the backbone there. From mmseg's ``MLANeck`` and
``SETRMLAHead`` it differs in the classifier, 3 x 3 and not 1 x 1, in the x 4 step, which has
aligned corners, and in the maps' order, from early to late.
"""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from mmengine.model import BaseModule
from torch import Tensor, nn

from ...errors import OptionError
from ...layers import MapNorm, average_map, cut_map
from .setr_head import BATCH_NORM, SETRHead, conv_norm_relu


def change_stride(x: Tensor, old: int, new: int, size: tuple[int, int]) -> Tensor:
    """Bring a map (N, C, h, w) of stride ``old`` to stride ``new`` and to ``size``.

    To a larger stride by averages over cells, to a smaller one bilinearly; positions that lie
    outside of ``size`` are cut off.
    """
    if new > old:
        return average_map(x, new // old)
    if new < old:
        x = F.interpolate(x, scale_factor=old // new, mode='bilinear')
    return cut_map(x, size)


class MLANeck(BaseModule):
    """A LayerNorm and a 1 x 1 convolution on each map, sums from late to early, 3 x 3 convolutions.

    Args:
        in_channels: channels of each map, from early to late.
        out_channels: channels of each map that is returned.
        in_strides: strides of the maps; by default all have ``stride``. Those of a pyramid are
            brought to ``stride`` first.
        stride: stride of the maps that are returned; one of ``in_strides``.
        norm_cfg: norm after the convolutions.

    Raises:
        OptionError: ``in_strides`` of another length than ``in_channels``, or without ``stride``.
    """

    def __init__(
        self,
        in_channels: Sequence[int],
        out_channels: int = 256,
        in_strides: Sequence[int] | None = None,
        stride: int = 16,
        norm_cfg: dict = BATCH_NORM,
    ) -> None:
        super().__init__()
        self.strides = tuple(in_strides or (stride for _ in in_channels))
        if len(self.strides) != len(in_channels) or stride not in self.strides:
            raise OptionError(
                f'in_strides={in_strides}: needs one for each of in_channels={in_channels}, and '
                f'stride={stride} among them'
            )
        self.level = self.strides.index(stride)
        self.norms = nn.ModuleList(MapNorm(width, eps=1e-6) for width in in_channels)
        self.lateral = nn.ModuleList(
            nn.Sequential(*conv_norm_relu(width, out_channels, 1, norm_cfg, bias=False))
            for width in in_channels
        )
        self.output = nn.ModuleList(
            nn.Sequential(*conv_norm_relu(out_channels, out_channels, 3, norm_cfg, bias=False))
            for _ in in_channels
        )

    def forward(self, inputs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """Turn maps (N, C_i, h_i, w_i) into as many maps (N, out_channels, h, w) of one size."""
        size, stride = inputs[self.level].shape[2:], self.strides[self.level]
        levels = zip(inputs, self.strides, self.norms, self.lateral, strict=True)
        sums = [
            lateral(norm(change_stride(x, old, stride, size))) for x, old, norm, lateral in levels
        ]
        for i in reversed(range(len(sums) - 1)):
            sums[i] = sums[i] + sums[i + 1]
        return tuple(output(x) for output, x in zip(self.output, sums, strict=True))


class SETRMLAHead(SETRHead):
    """Two convolutions and a x 4 step on each map, and a 3 x 3 classifier on all together.

    Args:
        in_channels: channels of each map.
        channels: channels of each map after the convolutions.
        levels: number of maps.
        options: arguments of :class:`~vitbackbones.tasks.segmentation.setr_head.SETRHead`.
    """

    enlarged = 4

    def __init__(
        self, in_channels: int = 256, channels: int = 128, levels: int = 4, **options
    ) -> None:
        super().__init__(
            [in_channels] * levels,
            channels * levels,
            in_index=list(range(levels)),
            input_transform='multiple_select',
            **options,
        )
        self.convs = nn.ModuleList(
            nn.Sequential(
                *conv_norm_relu(in_channels, channels, 3, self.norm_cfg, bias=False),
                *conv_norm_relu(channels, channels, 3, self.norm_cfg, bias=False),
                nn.Upsample(scale_factor=4, mode='bilinear', align_corners=True),
            )
            for _ in range(levels)
        )
        self.conv_seg = nn.Conv2d(self.channels, self.out_channels, 3, padding=1)

    def forward(self, inputs: tuple[Tensor, ...]) -> Tensor:
        """Turn maps (N, C, h, w) of one size into logits (N, classes, 4 h, 4 w)."""
        maps = self._transform_inputs(inputs)
        maps = [conv(x) for conv, x in zip(self.convs, maps, strict=True)]
        return self.cls_seg(torch.cat(maps, 1))


class SETRMLAAuxHead(SETRHead):
    """SETR-MLA's auxiliary head: a classifier without bias on one map, nothing else.

    Arguments as :class:`~vitbackbones.tasks.segmentation.setr_head.SETRHead`.
    """

    enlarged = 1

    def __init__(self, in_channels: int = 256, **options) -> None:
        super().__init__(in_channels, channels=in_channels, **options)
        self.conv_seg = nn.Conv2d(in_channels, self.out_channels, 1, bias=False)

    def forward(self, inputs: tuple[Tensor, ...]) -> Tensor:
        """Turn the map of ``in_index``, (N, C, h, w), into logits (N, classes, h, w)."""
        return self.cls_seg(self._transform_inputs(inputs))
