"""DETR (Carion et al., ECCV 2020) as PVT's detection protocol uses it.

One feature map of stride 32, 6 + 6 layers, 256 channels, 100 queries, no dilation. A run
config adds a backbone that gives this map, or any other, whose nearest map is pooled to stride 32:

    _base_ = ['../_base_/models/detr.py', ...]
    model = dict(backbone=dict(type='vitbackbones.PVT', arch='s'))
"""

attention = dict(
    embed_dims=256,
    num_heads=8,
    attn_drop=0.1,
    dropout_layer=dict(type='Dropout', drop_prob=0.1),
    batch_first=True,
)
ffn = dict(
    embed_dims=256,
    feedforward_channels=2048,
    num_fcs=2,
    ffn_drop=0.1,
    act_cfg=dict(type='ReLU', inplace=True),
)

model = dict(
    type='vitbackbones.DETR',
    num_queries=100,
    data_preprocessor=dict(
        type='DetDataPreprocessor',
        mean=[123.675, 116.28, 103.53],  # ImageNet, RGB
        std=[58.395, 57.12, 57.375],
        bgr_to_rgb=True,
        pad_size_divisor=32,
    ),
    neck=dict(
        type='vitbackbones.ChannelMapper',
        out_strides=[32],
        out_channels=256,
        norm_cfg=None,
    ),
    encoder=dict(num_layers=6, layer_cfg=dict(self_attn_cfg=attention, ffn_cfg=ffn)),
    decoder=dict(
        num_layers=6,
        return_intermediate=True,
        layer_cfg=dict(self_attn_cfg=attention, cross_attn_cfg=attention, ffn_cfg=ffn),
    ),
    positional_encoding=dict(num_feats=128, normalize=True),
    bbox_head=dict(
        type='DETRHead',
        num_classes=80,
        embed_dims=256,
        loss_cls=dict(
            type='CrossEntropyLoss',
            bg_cls_weight=0.1,
            use_sigmoid=False,
            loss_weight=1.0,
            class_weight=1.0,
        ),
        loss_bbox=dict(type='L1Loss', loss_weight=5.0),
        loss_iou=dict(type='GIoULoss', loss_weight=2.0),
    ),
    train_cfg=dict(
        assigner=dict(
            type='HungarianAssigner',
            match_costs=[
                dict(type='ClassificationCost', weight=1.0),
                dict(type='BBoxL1Cost', weight=5.0, box_format='xywh'),
                dict(type='IoUCost', iou_mode='giou', weight=2.0),
            ],
        )
    ),
    test_cfg=dict(max_per_img=100),
)
