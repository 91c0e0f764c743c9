"""Mask2Former (Cheng et al., CVPR 2022) for instance segmentation in mmdet, 80 classes.

The neck brings the maps of any backbone to strides 4, 8, 16 and 32 and to one width. A run config
adds a backbone:

    model = dict(backbone=dict(type='vitbackbones.PVT', arch='s'))

The published form has no such projection, and the head reads the widths of the backbone. For
backbones with maps of all four strides:

    model = dict(backbone=dict(type='vitbackbones.PVT', arch='s'), neck=dict(out_channels=None))

Another number of classes is set in ``panoptic_head`` and ``panoptic_fusion_head``
(``num_things_classes``, ``num_stuff_classes``), and in
``panoptic_head.loss_cls.class_weight``: one weight each, and 0.1 for "no object".
"""

_base_ = './mask2former_parts.py'

model = dict(
    type='Mask2Former',
    data_preprocessor=dict(
        type='DetDataPreprocessor',
        mean=[123.675, 116.28, 103.53],  # ImageNet, RGB
        std=[58.395, 57.12, 57.375],
        bgr_to_rgb=True,
        pad_size_divisor=32,
        pad_mask=True,
        mask_pad_value=0,
        batch_augments=[
            dict(type='BatchFixedSizePad', size=(1024, 1024), pad_mask=True, mask_pad_value=0)
        ],
    ),
    neck=dict(type='vitbackbones.Levels', out_strides=[4, 8, 16, 32], out_channels=256),
    panoptic_head=dict(**_base_.head, num_things_classes=80, num_stuff_classes=0),
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
model['panoptic_head']['loss_cls']['class_weight'] = [1.0] * 80 + [0.1]
