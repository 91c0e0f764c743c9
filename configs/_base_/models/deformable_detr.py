"""Deformable DETR (Zhu et al., ICLR 2021): attention at a few sampled places of four levels.

The settings are mmdet's: 6 + 6 layers, 256 channels, 300 queries, one stage, no refinement. A run
config adds the backbone:

    _base_ = ['../_base_/models/deformable_detr.py', ...]
    model = dict(backbone=dict(type='vitbackbones.PVT', arch='s'))
"""

deformable_attention = dict(embed_dims=256, num_levels=4, dropout=0.1, batch_first=True)
attention = dict(embed_dims=256, num_heads=8, dropout=0.1, batch_first=True)
ffn = dict(embed_dims=256, feedforward_channels=1024, ffn_drop=0.1)

model = dict(
    type='DeformableDETR',
    num_queries=300,
    num_feature_levels=4,
    with_box_refine=False,
    as_two_stage=False,
    data_preprocessor=dict(
        type='DetDataPreprocessor',
        mean=[123.675, 116.28, 103.53],  # ImageNet, RGB
        std=[58.395, 57.12, 57.375],
        bgr_to_rgb=True,
        pad_size_divisor=1,
    ),
    neck=dict(
        type='vitbackbones.ChannelMapper',
        out_strides=[8, 16, 32],
        out_channels=256,
        num_outs=4,
        norm_cfg=dict(type='GN', num_groups=32),
    ),
    encoder=dict(num_layers=6, layer_cfg=dict(self_attn_cfg=deformable_attention, ffn_cfg=ffn)),
    decoder=dict(
        num_layers=6,
        return_intermediate=True,
        layer_cfg=dict(self_attn_cfg=attention, cross_attn_cfg=deformable_attention, ffn_cfg=ffn),
        post_norm_cfg=None,
    ),
    positional_encoding=dict(num_feats=128, normalize=True, offset=-0.5),
    bbox_head=dict(
        type='DeformableDETRHead',
        num_classes=80,
        embed_dims=256,
        sync_cls_avg_factor=True,
        loss_cls=dict(type='FocalLoss', use_sigmoid=True, gamma=2.0, alpha=0.25, loss_weight=2.0),
        loss_bbox=dict(type='L1Loss', loss_weight=5.0),
        loss_iou=dict(type='GIoULoss', loss_weight=2.0),
    ),
    train_cfg=dict(
        assigner=dict(
            type='HungarianAssigner',
            match_costs=[
                dict(type='FocalLossCost', weight=2.0),
                dict(type='BBoxL1Cost', weight=5.0, box_format='xywh'),
                dict(type='IoUCost', iou_mode='giou', weight=2.0),
            ],
        )
    ),
    test_cfg=dict(max_per_img=100),
)
