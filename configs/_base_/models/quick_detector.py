"""RTMDet's head with 64 channels on levels of stride 8 to 32: a detector for minutes of training.

Lyu et al., "RTMDet", 2022. Each object is assigned to the points that predict it best at that
moment, up to 13 of them, so there are no anchors to fit to a data set, and far more of the points
learn from every image than DETR's one query for an object. A run config adds a backbone:

    model = dict(backbone=dict(type='vitbackbones.PVT', arch='s'))
"""

norm_cfg = dict(type='BN')

model = dict(
    type='RTMDet',
    data_preprocessor=dict(
        type='DetDataPreprocessor',
        mean=[123.675, 116.28, 103.53],  # ImageNet, RGB
        std=[58.395, 57.12, 57.375],
        bgr_to_rgb=True,
        pad_size_divisor=32,
    ),
    neck=dict(type='vitbackbones.FPN', out_strides=[8, 16, 32], out_channels=64, norm_cfg=norm_cfg),
    bbox_head=dict(
        type='RTMDetSepBNHead',
        num_classes=3,
        in_channels=64,
        feat_channels=64,
        stacked_convs=2,
        share_conv=True,
        exp_on_reg=True,
        with_objectness=False,
        norm_cfg=norm_cfg,
        act_cfg=dict(type='SiLU', inplace=True),
        anchor_generator=dict(type='MlvlPointGenerator', offset=0, strides=[8, 16, 32]),
        bbox_coder=dict(type='DistancePointBBoxCoder'),
        loss_cls=dict(type='QualityFocalLoss', use_sigmoid=True, beta=2.0, loss_weight=1.0),
        loss_bbox=dict(type='GIoULoss', loss_weight=2.0),
    ),
    train_cfg=dict(
        assigner=dict(type='DynamicSoftLabelAssigner', topk=13), allowed_border=-1, pos_weight=-1
    ),
    test_cfg=dict(
        nms_pre=1000,
        score_thr=0.01,
        nms=dict(type='nms', iou_threshold=0.6),
        max_per_img=100,
    ),
)
