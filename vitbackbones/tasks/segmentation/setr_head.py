"""What the heads of SETR share (Zheng et al., CVPR 2021, https://arxiv.org/abs/2012.15840).

They are mmseg decode heads, with its losses and its way to an image: ``forward`` stops before the
last bilinear step and mmseg takes it, straight to the size of the image. Convolutions keep torch's
initialization, as published; mmcv's own would leave them 2.4 times as large, and with a BatchNorm
behind them learn 6 times as slowly. The base class's dropout is not applied, as published.
"""

import torch
import torch.nn.functional as F
from mmcv.cnn import build_norm_layer
from mmseg.models.decode_heads.decode_head import BaseDecodeHead
from mmseg.utils import SampleList
from torch import Tensor, nn

from ...errors import OptionError
from ...layers import cut_map, is_traced

BATCH_NORM = {'type': 'BN'}


def conv_norm_relu(
    in_channels: int, out_channels: int, kernel_size: int, norm_cfg: dict, bias: bool
) -> list[nn.Module]:
    """Return a convolution that keeps the size of a map, its norm and a ReLU."""
    padding = kernel_size // 2
    convolution = nn.Conv2d(in_channels, out_channels, kernel_size, padding=padding, bias=bias)
    return [convolution, build_norm_layer(norm_cfg, out_channels)[1], nn.ReLU(inplace=True)]


def accuracy(logits: Tensor, labels: Tensor, ignored: int) -> Tensor:
    """Return mmseg's accuracy, the percentage of pixels that are right.

    mmseg picks the pixels that count. On a GPU it thereby waits, in every head, to know how many.

    Args:
        logits: (N, classes, H, W).
        labels: (N, H, W).
        ignored: the label of pixels that do not count.
    """
    counted = labels != ignored
    right = counted & (logits.argmax(1) == labels)
    eps = torch.finfo(torch.float32).eps  # no pixel may count at all
    return 100 * (right.sum() + eps) / (counted.sum() + eps)


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
        # a graph for other sizes, too, must not depend on those of its example
        if not is_traced() and any(
            not 0 <= w - s < self.stride for w, s in zip(whole, size, strict=True)
        ):
            given = ' x '.join(str(side // self.enlarged) for side in logits.shape[2:])
            raise OptionError(
                f'{type(self).__name__}: a map of {given} positions does not have stride '
                f'{self.stride} in an image of {size[0]} x {size[1]} pixels; set stride='
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
        return losses | {'acc_seg': accuracy(logits, labels, self.ignore_index)}

    def predict_by_feat(self, seg_logits: Tensor, batch_img_metas: list[dict]) -> Tensor:
        """Return logits (N, classes, H, W) of the pixels that were given to the network."""
        meta = batch_img_metas[0]
        size = meta['img_shape']  # of a sliding window, where mmseg writes a torch.Size
        if not isinstance(size, torch.Size):
            size = meta.get('pad_shape', size)[:2]
        return self.to_image(seg_logits, size)
