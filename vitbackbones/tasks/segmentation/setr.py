"""SETR's heads as released: Naive, PUP and MLA (Zheng et al., CVPR 2021, arXiv 2012.15840).

    Naive   LN, [1 x 1, norm, ReLU], classifier, x 16
    PUP     LN, 3 times [3 x 3, norm, ReLU, x 2], [3 x 3, norm, ReLU], classifier, x 2
    aux.    LN, [3 x 3, norm, ReLU, x 4], classifier, x 4
    MLA     neck; 2 times [3 x 3, norm, ReLU] and x 4 on each map; 3 x 3 classifier, x 4

They are mmseg decode heads, with its losses and its way to an image: ``forward`` stops before the
last bilinear step, which goes straight to the size of the image. Convolutions keep torch's
initialization, as published; mmcv's own would leave them 2.4 times as large, and with a BatchNorm
behind them learn 6 times as slowly. The base class's dropout is not applied, as published.

mmseg's own heads differ. Its ``SETRUPHead`` goes to the image in two steps in Naive and has no
biases, and its auxiliary heads have a convolution more. In its MLA the classifier is 1 x 1, the x 4
step has no aligned corners, and the maps come in another order.
"""

import math
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from mmcv.cnn import build_norm_layer
from mmengine.model import BaseModule
from mmseg.models.decode_heads.decode_head import BaseDecodeHead
from mmseg.models.losses import accuracy
from mmseg.utils import SampleList, add_prefix
from torch import Tensor, nn

from ...errors import OptionError
from ...layers import MapNorm, average_map, cut_map, is_traced, require_choice

BATCH_NORM = {'type': 'BN'}


def conv_norm_relu(
    in_channels: int, out_channels: int, kernel_size: int, norm_cfg: dict, bias: bool
) -> list[nn.Module]:
    """Return a convolution that keeps the size of a map, its norm and a ReLU."""
    padding = kernel_size // 2
    convolution = nn.Conv2d(in_channels, out_channels, kernel_size, padding=padding, bias=bias)
    return [convolution, build_norm_layer(norm_cfg, out_channels)[1], nn.ReLU(inplace=True)]


class SETRHead(BaseDecodeHead):
    """Base of the heads: any image size, also where the last patches hang over the border.

    A subclass gives ``forward``, which returns logits that are ``enlarged`` times as fine as the
    maps it reads.

    Args:
        in_channels: channels of the map, or of each of several maps.
        channels: channels before the classifier.
        stride: pixels of the image to a position of the maps.
        norm_cfg: norm after the convolutions.
        options: arguments of mmseg's ``BaseDecodeHead``: ``num_classes``, ``in_index``,
            ``loss_decode``, ``ignore_index`` and others.
    """

    enlarged: int

    def __init__(
        self,
        in_channels: int | list[int],
        channels: int = 256,
        stride: int = 16,
        norm_cfg: dict = BATCH_NORM,
        **options,
    ) -> None:
        super().__init__(
            in_channels, channels, norm_cfg=norm_cfg, dropout_ratio=0, init_cfg=None, **options
        )
        self.stride = stride

    def to_image(self, logits: Tensor, size: tuple[int, int]) -> Tensor:
        """Bring logits to an image in one bilinear step.

        Where the last patches hang over its border, what lies outside is cut off. mmseg would
        squeeze it into the image.

        Args:
            logits: (N, classes, h, w) as :meth:`forward` returns them.
            size: height and width of the image in pixels.

        Returns:
            (N, classes, *size).

        Raises:
            OptionError: the maps are not of stride ``stride``.
        """
        whole = [side * self.stride // self.enlarged for side in logits.shape[2:]]
        # a graph for any size must not depend on that of its example
        if not is_traced() and any(
            not 0 <= w - s < self.stride for w, s in zip(whole, size, strict=True)
        ):
            given = ' x '.join(str(side // self.enlarged) for side in logits.shape[2:])
            raise OptionError(
                f'{type(self).__name__}: a feature map of {given} positions does not have '
                f'stride {self.stride} in an image of {size[0]} x {size[1]} pixels; set stride='
            )
        pixels = F.interpolate(logits, whole, mode='bilinear', align_corners=self.align_corners)
        return cut_map(pixels, size)

    def loss_by_feat(self, seg_logits: Tensor, batch_data_samples: SampleList) -> dict[str, Tensor]:
        """Return the losses of logits as :meth:`forward` returns them, at the size of the masks."""
        labels = self._stack_batch_gt(batch_data_samples)  # (N, 1, H, W)
        logits = self.to_image(seg_logits, labels.shape[2:])
        weight = None if self.sampler is None else self.sampler.sample(logits, labels)
        labels = labels.squeeze(1)  # (N, H, W)
        several = isinstance(self.loss_decode, nn.ModuleList)
        losses = {}
        for term in self.loss_decode if several else [self.loss_decode]:
            value = term(logits, labels, weight=weight, ignore_index=self.ignore_index)
            losses[term.loss_name] = losses.get(term.loss_name, 0) + value
        return losses | {'acc_seg': accuracy(logits, labels, ignore_index=self.ignore_index)}

    def predict_by_feat(self, seg_logits: Tensor, batch_img_metas: list[dict]) -> Tensor:
        """Return logits (N, classes, H, W) of the pixels that were given to the network."""
        meta = batch_img_metas[0]
        size = meta['img_shape']  # of a sliding window, where mmseg writes a torch.Size
        if not isinstance(size, torch.Size):
            size = meta.get('pad_shape', size)[:2]
        return self.to_image(seg_logits, size)


# ------------------------------------------------------------------------ one map


class SETRUpHead(SETRHead):
    """A LayerNorm, convolutions with bilinear steps between, and a 1 x 1 classifier.

    Arguments as :class:`SETRHead`. Subclasses set ``steps``: kernel size and enlargement of each
    convolution.
    """

    steps: tuple[tuple[int, int], ...]

    def __init__(self, in_channels: int, **options) -> None:
        super().__init__(in_channels, **options)
        self.enlarged = math.prod(factor for _, factor in self.steps)
        self.norm = MapNorm(in_channels, eps=1e-6)
        layers = []
        width = in_channels
        for kernel_size, factor in self.steps:
            layers += conv_norm_relu(width, self.channels, kernel_size, self.norm_cfg, bias=True)
            if factor > 1:
                layers.append(nn.Upsample(scale_factor=factor, mode='bilinear'))
            width = self.channels
        self.convs = nn.Sequential(*layers)

    def forward(self, inputs: tuple[Tensor, ...]) -> Tensor:
        """Turn the map of ``in_index``, (N, C, h, w), into logits (N, classes, k h, k w).

        k is the product of the enlargements between the convolutions.
        """
        return self.cls_seg(self.convs(self.norm(self._transform_inputs(inputs))))


class SETRNaiveHead(SETRUpHead):
    """SETR-Naive's head, also its auxiliary head. Arguments as :class:`SETRUpHead`."""

    steps = ((1, 1),)


class SETRPUPHead(SETRUpHead):
    """SETR-PUP's head (progressive upsampling). Arguments as :class:`SETRUpHead`."""

    steps = ((3, 2), (3, 2), (3, 2), (3, 1))


class SETRPUPAuxHead(SETRUpHead):
    """SETR-PUP's auxiliary head. Arguments as :class:`SETRUpHead`."""

    steps = ((3, 4),)


# ------------------------------------------------------------------------ multi-level aggregation


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
                f'in_strides={in_strides}: must have one value for each of '
                f'in_channels={in_channels}, and contain stride={stride}'
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
        size = inputs[self.level].shape[2:]
        stride = self.strides[self.level]
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
        options: arguments of :class:`SETRHead`.
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

    Arguments as :class:`SETRHead`.
    """

    enlarged = 1

    def __init__(self, in_channels: int = 256, **options) -> None:
        super().__init__(in_channels, channels=in_channels, **options)
        self.conv_seg = nn.Conv2d(in_channels, self.out_channels, 1, bias=False)

    def forward(self, inputs: tuple[Tensor, ...]) -> Tensor:
        """Turn the map of ``in_index``, (N, C, h, w), into logits (N, classes, h, w)."""
        return self.cls_seg(self._transform_inputs(inputs))


# ------------------------------------------------------------------------ auxiliary heads


KINDS = {'naive': SETRNaiveHead, 'pup': SETRPUPAuxHead, 'mla': SETRMLAAuxHead}
BY_MAP = ('in_channels', 'stride')  # these may be lists


class SETRAuxHead(BaseModule):
    """One head of the same kind on each of several maps, for training only.

    Args:
        kind: ``'naive'``, ``'pup'`` or ``'mla'``.
        in_index: the maps that are read, counted in what the backbone or the neck returns.
        options: arguments of each :class:`SETRHead`; ``in_channels`` and ``stride`` may be lists
            of one number for each map.

    Raises:
        OptionError: unknown ``kind``.
    """

    def __init__(self, kind: str, in_index: list[int], **options) -> None:
        super().__init__()
        require_choice('kind', kind, KINDS)
        lists = {key: options.pop(key) for key in BY_MAP if isinstance(options.get(key), list)}
        self.heads = nn.ModuleList()
        for number, index in enumerate(in_index):
            own = {key: values[number] for key, values in lists.items()}
            self.heads.append(KINDS[kind](in_index=index, **own, **options))

    def loss(
        self, inputs: tuple[Tensor, ...], batch_data_samples: SampleList, train_cfg: dict
    ) -> dict[str, Tensor]:
        """Return losses and accuracies of all heads, by ``<number of the head>.<name>``."""
        losses = {}
        for i, head in enumerate(self.heads):
            losses |= add_prefix(head.loss(inputs, batch_data_samples, train_cfg), str(i))
        return losses
