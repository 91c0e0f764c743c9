"""Semantic FPN (Kirillov et al., CVPR 2019, "Panoptic Feature Pyramid Networks").

The neck is an FPN of strides 4, 8, 16 and 32 for any backbone. A run config adds a
backbone:

    model = dict(backbone=dict(type='vitbackbones.PVT', arch='s'))
"""

_base_ = './segmentor.py'

model = dict(
    neck=dict(
        type='vitbackbones.Pyramid', out_strides=[4, 8, 16, 32], out_channels=256, num_outs=4
    ),
    decode_head=dict(
        type='FPNHead',
        in_index=[0, 1, 2, 3],
        feature_strides=[4, 8, 16, 32],
        channels=128,
        dropout_ratio=0.1,
        num_classes=150,
        norm_cfg=dict(type='BN'),
        align_corners=False,
        loss_decode=dict(type='CrossEntropyLoss', loss_weight=1.0),
    ),
)
