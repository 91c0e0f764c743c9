"""A backbone and a linear head for ImageNet, with DeiT's MixUp, CutMix and label smoothing.

One of MixUp and CutMix, chosen at random, changes each batch. A run config adds the backbone,
and ``init_cfg=None`` in the head where the published code leaves linear layers as torch makes them
(MSF, SimpleViT, SReT).
"""

model = dict(
    type='vitbackbones.ImageClassifier',
    data_preprocessor=dict(
        num_classes=1000,
        mean=[123.675, 116.28, 103.53],  # ImageNet, RGB
        std=[58.395, 57.12, 57.375],
        to_rgb=True,
    ),
    head=dict(
        type='LinearClsHead',
        num_classes=1000,
        topk=(1, 5),
        loss=dict(type='LabelSmoothLoss', label_smooth_val=0.1, mode='original'),
        init_cfg=dict(type='TruncNormal', layer='Linear', std=0.02),
    ),
    train_cfg=dict(augments=[dict(type='Mixup', alpha=0.8), dict(type='CutMix', alpha=1.0)]),
)
