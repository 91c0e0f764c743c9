"""Semantic FPN with 64 channels on levels of stride 8 to 32: a segmentor for minutes of training.

Kirillov et al., "Panoptic Feature Pyramid Networks", CVPR 2019. A run config adds a backbone:

    model = dict(backbone=_base_.backbone, neck=_base_.maps)
"""

model = dict(
    type='EncoderDecoder',
    data_preprocessor=dict(
        type='SegDataPreProcessor',
        mean=[123.675, 116.28, 103.53],  # ImageNet, RGB
        std=[58.395, 57.12, 57.375],
        bgr_to_rgb=True,
        size=(224, 224),  # of training crops; nothing is padded in testing
        pad_val=0,
        seg_pad_val=255,
    ),
    neck=dict(type='vitbackbones.Pyramid', out_strides=[8, 16, 32], out_channels=64),
    decode_head=dict(
        type='FPNHead',
        num_classes=4,
        in_channels=[64, 64, 64],
        in_index=[0, 1, 2],
        feature_strides=[8, 16, 32],
        channels=64,
        dropout_ratio=0.1,
        align_corners=False,
        norm_cfg=dict(type='BN'),
        loss_decode=dict(type='CrossEntropyLoss', loss_weight=1.0),
    ),
    train_cfg=dict(),
    test_cfg=dict(mode='whole'),
)
