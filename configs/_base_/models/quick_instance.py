"""RTMDet-Ins's head with 64 channels on levels of stride 8 to 32: masks after minutes of training.

Lyu et al., "RTMDet", 2022. The points that predict an object's box also predict the weights of
three small convolutions (Tian et al., "CondInst", ECCV 2020), which draw its mask from eight maps
of stride 8 that all objects share. The rest is as in quick_detector.py.
"""

_base_ = './quick_detector.py'

model = dict(
    data_preprocessor=dict(pad_mask=True),
    bbox_head=dict(
        _delete_=True,
        type='vitbackbones.RTMDetInsHead',
        num_classes=3,
        in_channels=64,
        feat_channels=64,
        stacked_convs=2,
        share_conv=True,
        norm_cfg=dict(type='BN'),
        act_cfg=dict(type='SiLU', inplace=True),
        anchor_generator=dict(type='MlvlPointGenerator', offset=0, strides=[8, 16, 32]),
        bbox_coder=dict(type='DistancePointBBoxCoder'),
        loss_cls=dict(type='QualityFocalLoss', use_sigmoid=True, beta=2.0, loss_weight=1.0),
        loss_bbox=dict(type='GIoULoss', loss_weight=2.0),
        loss_mask=dict(type='DiceLoss', loss_weight=2.0, eps=5e-6, reduction='mean'),
    ),
    test_cfg=dict(mask_thr_binary=0.5),
)
