"""ResNet with dilated stages as torchvision builds it, for the published DETR-DC5."""

from mmdet.models.backbones import ResNet
from torch import nn


class DilatedResNet(ResNet):
    """mmdet's ``ResNet``, whose dilated stages begin with half of their dilation.

    mmdet dilates all blocks of a stage. In torchvision the first block of a stage still has the
    dilation of the stage before, which is 1 in DETR-DC5 (``dilations=(1, 1, 1, 2)``). Weights of
    one would compute something else in the other. Arguments and keys are those of mmdet.
    """

    def make_res_layer(self, **options) -> nn.Sequential:
        """Build a stage; without dilation it is mmdet's."""
        stage = super().make_res_layer(**options)
        before = max(1, options['dilation'] // 2)
        first = stage[0].conv2
        first.dilation = first.padding = (before, before)
        return stage
