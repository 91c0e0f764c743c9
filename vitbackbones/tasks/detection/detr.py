"""DETR (Carion et al., ECCV 2020, https://arxiv.org/abs/2005.12872) with fused attention.

mmdet's detector, parameter for parameter: a checkpoint of either loads into the other, and the
function is the same. The attentions of encoder and decoder reach PyTorch's fused kernel, and the
head matches all layers and images at once, in float32.
"""

import torch
from mmdet.models.backbones import ResNet
from mmdet.models.dense_heads import DETRHead
from mmdet.models.detectors import DETR as MMDetDETR
from torch import Tensor, nn

from .detr_head import JointDETRHead
from .fused_attention import fuse_attention

ROWS = torch.contiguous_format


class DETR(MMDetDETR):
    """mmdet's ``DETR``, faster; arguments and state-dict keys are the same."""

    def _init_layers(self) -> None:
        super()._init_layers()
        fuse_attention(self.encoder)
        fuse_attention(self.decoder)
        if type(self.bbox_head) is DETRHead:
            self.bbox_head = JointDETRHead(self.bbox_head)

    def pre_transformer(self, *arguments, **options) -> tuple[dict, dict]:
        """Do as mmdet, with positions in the type of the weights: mmdet's are always float32.

        All that the layers get is copied into rows. mmdet's are views of maps, which every layer
        would read across. With them ``torch.compile`` would compile the first layer apart from the
        others, and once more for maps of another shape, although it leaves sizes open.
        """
        encoder, decoder = super().pre_transformer(*arguments, **options)
        encoder['feat_pos'] = encoder['feat_pos'].to(self.query_embedding.weight.dtype)
        given = {name: x for name, x in encoder.items() if x is not None}
        encoder |= {name: x.clone(memory_format=ROWS) for name, x in given.items()}
        decoder |= {'memory_pos': encoder['feat_pos'], 'memory_mask': encoder['feat_mask']}
        return encoder, decoder

    def pre_decoder(self, memory: Tensor) -> tuple[dict, dict]:
        """Do as mmdet, but the first queries, zeros, require a gradient as those of later layers.

        So ``torch.compile`` takes the first layer for one of the others.
        """
        decoder, head = super().pre_decoder(memory)
        if memory.requires_grad and not torch.compiler.is_compiling():
            decoder['query'].requires_grad_()
        return decoder, head


class DilatedResNet(ResNet):
    """mmdet's ``ResNet`` for the published DETR-DC5: dilated stages begin with half the dilation.

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
