"""A ViT of 6 narrow blocks on 64 patches, Tiny-ImageNet: natural pictures for the studies of parts.

Four epochs of 100,000 pictures in batches of 128. Which pictures were right is kept for each run.
"""

_base_ = [
    '../../_base_/models/classifier.py',
    '../../_base_/datasets/tiny_imagenet.py',
    '../../_base_/cls_runtime.py',
]

model = dict(
    data_preprocessor=dict(num_classes=200),
    backbone=dict(
        type='vitbackbones.ViT',
        arch=dict(embed_dims=96, depth=6, num_heads=3),
        img_size=64,
        patch_size=8,
        out_type='cls_token',
    ),
    head=dict(num_classes=200),
    train_cfg=None,
)

optim_wrapper = dict(
    type='OptimWrapper',
    optimizer=dict(type='AdamW', lr=1e-3, weight_decay=0.05, fused=True),
    paramwise_cfg=dict(flat_decay_mult=0.0),
    clip_grad=dict(max_norm=5.0),
)
param_scheduler = [
    dict(type='LinearLR', start_factor=0.01, begin=0, end=1, convert_to_iter_based=True),
    dict(
        type='CosineAnnealingLR',
        eta_min_ratio=0.01,
        begin=1,
        end=4,
        by_epoch=True,
        convert_to_iter_based=True,
    ),
]
train_cfg = dict(type='EpochBasedTrainLoop', max_epochs=4, val_interval=4)
val_cfg = dict(type='ValLoop')
test_cfg = dict(type='TestLoop')
default_hooks = dict(
    logger=dict(interval=100),
    checkpoint=dict(interval=1, max_keep_ckpts=1, save_best=None),
    curves=None,
    correct=dict(type='vitbackbones.CorrectPicturesHook'),
)
