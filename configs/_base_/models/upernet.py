"""UPerNet (Xiao et al., ECCV 2018) as Swin's segmentation uses it, with one auxiliary head.

The neck brings the maps of any backbone to strides 4, 8, 16 and 32 and to one width. A run config
adds a backbone:

    model = dict(backbone=dict(type='vitbackbones.PVT', arch='s'))

The published form has no such projection: the heads read the widths of the backbone. For backbones
with maps of all four strides:

    model = dict(backbone=dict(type='vitbackbones.PVT', arch='s'), neck=dict(out_channels=None))
"""

_base_ = './segmentor.py'

model = dict(
    neck=dict(type='vitbackbones.Levels', out_strides=[4, 8, 16, 32], out_channels=256),
    decode_head=dict(
        type='UPerHead',
        in_index=[0, 1, 2, 3],
        pool_scales=(1, 2, 3, 6),
        channels=512,
        dropout_ratio=0.1,
        num_classes=150,
        norm_cfg=dict(type='BN'),
        align_corners=False,
        loss_decode=dict(type='CrossEntropyLoss', loss_weight=1.0),
    ),
    auxiliary_head=dict(
        type='FCNHead',
        in_index=2,
        channels=256,
        num_convs=1,
        concat_input=False,
        dropout_ratio=0.1,
        num_classes=150,
        norm_cfg=dict(type='BN'),
        align_corners=False,
        loss_decode=dict(type='CrossEntropyLoss', loss_weight=0.4),
    ),
)
