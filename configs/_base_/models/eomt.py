"""EoMT (Kerssies et al., CVPR 2025) for semantic segmentation in mmseg; losses are Mask2Former's.

Queries join the tokens of the backbone for its last blocks, so there is no neck. A run config adds
a plain backbone, and how many blocks they join: 3 of ViT-S and ViT-B, 4 of ViT-L.

    model = dict(backbone=dict(type='vitbackbones.ViT', arch='s'), decode_head=dict(num_blocks=3))
"""

_base_ = ['./segmentor.py', './mask2former_parts.py']

model = dict(
    type='vitbackbones.EoMTSegmentor',
    decode_head=dict(
        type='vitbackbones.EoMTDecodeHead',
        num_classes=150,
        num_queries=100,
        num_blocks=3,
        loss_cls=_base_.head.loss_cls,
        loss_mask=_base_.head.loss_mask,
        loss_dice=_base_.head.loss_dice,
        train_cfg=_base_.matching,
    ),
)
