"""EoMT (Kerssies et al., CVPR 2025) for instance segmentation in mmdet, 80 classes.

Images are cropped or padded to 640 x 640 pixels in training. A run config adds a plain backbone,
and how many blocks the queries join, as for eomt.py.
"""

_base_ = './mask2former_parts.py'

model = dict(
    type='vitbackbones.EoMT',
    data_preprocessor=dict(
        type='DetDataPreprocessor',
        mean=[123.675, 116.28, 103.53],  # ImageNet, RGB
        std=[58.395, 57.12, 57.375],
        bgr_to_rgb=True,
        pad_size_divisor=32,
        pad_mask=True,
        mask_pad_value=0,
        batch_augments=[
            dict(type='BatchFixedSizePad', size=(640, 640), pad_mask=True, mask_pad_value=0)
        ],
    ),
    panoptic_head=dict(
        type='vitbackbones.EoMTHead',
        num_things_classes=80,
        num_stuff_classes=0,
        num_queries=200,
        num_blocks=3,
        loss_cls=_base_.head.loss_cls,
        loss_mask=_base_.head.loss_mask,
        loss_dice=_base_.head.loss_dice,
    ),
    panoptic_fusion_head=dict(
        type='MaskFormerFusionHead',
        num_things_classes=80,
        num_stuff_classes=0,
        loss_panoptic=None,
        init_cfg=None,
    ),
    train_cfg=_base_.matching,
    test_cfg=dict(panoptic_on=False, semantic_on=False, instance_on=True, max_per_image=100),
)
