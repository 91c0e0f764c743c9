"""Segmentors as one graph, from images to logits or index masks of the same size.

Logits are those of ``encode_decode``. The last step of the toolbox's ``predict``, back to the size
of the picture, is left to whoever has the picture. Auxiliary heads stay outside.
"""

import torch
from mmdet.models.layers import MSDeformAttnPixelDecoder
from mmseg.models.segmentors import EncoderDecoder
from mmseg.models.utils import Upsample
from torch import Tensor, nn

from ...errors import InputError
from ...layers import require_choice
from . import Exportable
from .attention import shared_copy
from .mask2former import TraceablePixelDecoder

OUTPUTS = ('logits', 'mask')


def bins(length: int, count: int, like: Tensor) -> Tensor:
    """Return the matrix (count, length) that averages ``length`` positions into ``count`` bins.

    Bins are those of torch's adaptive pooling: from floor(i L / count) to ceil((i + 1) L / count).
    """
    i = torch.arange(count, device=like.device)[:, None]
    first, end = i * length // count, ((i + 1) * length + count - 1) // count
    position = torch.arange(length, device=like.device)
    inside = ((first <= position) & (position < end)).to(like)
    return inside / (end - first)


class BinAverages(nn.Module):
    """``nn.AdaptiveAvgPool2d`` as two matrix products, for maps of any size in a graph.

    Args:
        size: height and width of what comes out, or one number for both.
    """

    def __init__(self, size: int | tuple[int, int]) -> None:
        super().__init__()
        self.size = (size, size) if isinstance(size, int) else size

    def forward(self, x: Tensor) -> Tensor:
        """Turn a map (N, C, h, w) into (N, C, *size)."""
        rows, columns = (bins(*each, x) for each in zip(x.shape[2:], self.size, strict=True))
        return rows @ x @ columns.T


# By the class of a part: what computes the same in a graph. In ONNX, torch's adaptive pooling is
# right for the size of the example alone. mmseg's Upsample keeps that size, and mmdet's pixel
# decoder reads the values of tensors.
REPLACED = {
    nn.AdaptiveAvgPool2d: lambda part: BinAverages(part.output_size),
    Upsample: lambda part: nn.Upsample(part.size, part.scale_factor, part.mode, part.align_corners),
    MSDeformAttnPixelDecoder: TraceablePixelDecoder,
}


def traceable_copy(model: nn.Module) -> nn.Module:
    """Return a copy that shares all tensors, with the parts of ``REPLACED`` replaced."""
    model = shared_copy(model)
    for name, part in list(model.named_modules()):
        if type(part) in REPLACED:
            model.set_submodule(name, REPLACED[type(part)](part))
    return model


class ExportableSegmentor(Exportable):
    """From images (N, 3, H, W) to logits or masks; see :func:`.exportable`.

    Args:
        model: mmseg's ``EncoderDecoder``.
        output: ``'logits'`` or ``'mask'``.

    Raises:
        InputError: it is another segmentor, or slides windows and shall give masks.
        OptionError: an unknown ``output``.
    """

    def __init__(self, model: EncoderDecoder, output: str) -> None:
        require_choice('output', output, OUTPUTS)
        if not isinstance(model, EncoderDecoder):
            raise InputError(
                f'model.type: {type(model).__name__} cannot be exported; the only segmentor that '
                "can is mmseg's EncoderDecoder"
            )
        if output == 'mask' and model.test_cfg.get('mode') == 'slide':
            raise InputError(
                "model.test_cfg.mode='slide': the logits of all windows are averaged before a "
                'class is chosen, so one window has no mask. Use --output logits, or set '
                "mode='whole'"
            )
        super().__init__(traceable_copy(model))
        self.outputs = (output,)
        resizes = 'the decode head resizes with align_corners=True'
        self.fixed_size = resizes if model.align_corners else ''

    def forward(self, image: Tensor) -> tuple[Tensor]:
        """Return logits (N, classes, H, W), or masks (N, H, W)."""
        # one record stands for all: they have one size
        logits = self.model.encode_decode(image, [{'img_shape': image.shape[2:]}])
        if self.outputs == ('logits',):
            return (logits,)
        classes = logits.shape[1]
        if classes == 1:  # of two, with mmseg's threshold
            return ((logits[:, 0].sigmoid() > self.model.decode_head.threshold).to(torch.uint8),)
        return (logits.argmax(1).to(torch.uint8 if classes <= 255 else torch.int64),)
