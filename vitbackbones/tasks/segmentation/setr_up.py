"""SETR's heads that read one map: Naive and PUP, and the auxiliary head of PUP.

    Naive   LN, [1 x 1, norm, ReLU], classifier, x 16
    PUP     LN, 3 times [3 x 3, norm, ReLU, x 2], [3 x 3, norm, ReLU], classifier, x 2
    aux.    LN, [3 x 3, norm, ReLU, x 4], classifier, x 4

as released (fudan-zvg/SETR): convolutions with bias, one bilinear step to the image at the end.
mmseg's ``SETRUPHead`` goes to the image in two steps in Naive, has no biases, and its auxiliary
heads have a convolution more.
"""

import math

from torch import Tensor, nn

from ...layers import MapNorm
from .setr_head import SETRHead, conv_norm_relu


class SETRUpHead(SETRHead):
    """A LayerNorm, convolutions with bilinear steps between, and a 1 x 1 classifier.

    Arguments as :class:`~vitbackbones.tasks.segmentation.setr_head.SETRHead`. Subclasses set
    ``steps``: kernel size and enlargement of each convolution.
    """

    steps: tuple[tuple[int, int], ...]

    def __init__(self, in_channels: int, **options) -> None:
        super().__init__(in_channels, **options)
        self.enlarged = math.prod(factor for _, factor in self.steps)
        self.norm = MapNorm(in_channels, eps=1e-6)
        layers, width = [], in_channels
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
