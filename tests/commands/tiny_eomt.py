# ruff: noqa: C408
"""The tiny segmentor with EoMT's head on the last two of three blocks."""

_base_ = 'tiny_seg.py'

model = dict(
    _delete_=True,
    type='vitbackbones.EoMTSegmentor',
    data_preprocessor=_base_.model.data_preprocessor,
    backbone=dict(
        type='vitbackbones.ViT',
        arch=dict(embed_dims=32, depth=3, num_heads=2),
        patch_size=8,
        img_size=64,
    ),
    decode_head=dict(
        type='vitbackbones.EoMTDecodeHead',
        in_channels=32,
        stride=8,
        num_classes=4,
        num_queries=10,
        num_blocks=2,
        loss_cls=dict(type='mmdet.CrossEntropyLoss', loss_weight=2.0),
        loss_mask=dict(type='mmdet.CrossEntropyLoss', use_sigmoid=True, loss_weight=5.0),
        loss_dice=dict(
            type='mmdet.DiceLoss', activate=True, naive_dice=True, eps=1.0, loss_weight=5.0
        ),
        train_cfg=dict(
            num_points=256,
            oversample_ratio=3.0,
            importance_sample_ratio=0.75,
            assigner=dict(
                type='mmdet.HungarianAssigner',
                match_costs=[
                    dict(type='mmdet.ClassificationCost', weight=2.0),
                    dict(type='mmdet.CrossEntropyLossCost', weight=5.0, use_sigmoid=True),
                    dict(type='mmdet.DiceCost', weight=5.0, pred_act=True, eps=1.0),
                ],
            ),
            sampler=dict(type='mmdet.MaskPseudoSampler'),
        ),
    ),
    test_cfg=_base_.model.test_cfg,
)
