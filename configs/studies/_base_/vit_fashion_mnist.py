"""A ViT of 6 narrow blocks on 16 patches, Fashion-MNIST: what the studies of parts start from.

900 steps of 32 pictures, half a pass. Which test pictures were right is kept for each run.
"""

_base_ = [
    '../../_base_/models/classifier.py',
    '../../_base_/datasets/fashion_mnist.py',
    '../../_base_/cls_runtime.py',
]

model = dict(
    data_preprocessor=dict(num_classes=10, mean=[72.94], std=[90.02], to_rgb=False),
    backbone=dict(
        type='vitbackbones.ViT',
        arch=dict(embed_dims=64, depth=6, num_heads=2),
        img_size=28,
        in_channels=1,
        patch_size=7,
        out_type='cls_token',
    ),
    head=dict(num_classes=10, topk=(1,)),
    train_cfg=None,
)

train_dataloader = dict(batch_size=32)
optim_wrapper = dict(
    type='OptimWrapper',
    optimizer=dict(type='AdamW', lr=1e-3, weight_decay=0.05, fused=True),
    paramwise_cfg=dict(flat_decay_mult=0.0),
)
param_scheduler = [
    dict(type='LinearLR', start_factor=0.01, begin=0, end=100, by_epoch=False),
    dict(
        type='CosineAnnealingLR', eta_min_ratio=0.01, begin=100, end=900, T_max=800, by_epoch=False
    ),
]
train_cfg = dict(type='IterBasedTrainLoop', max_iters=900, val_interval=900)
val_cfg = dict(type='ValLoop')
test_cfg = dict(type='TestLoop')
log_processor = dict(by_epoch=False)
default_hooks = dict(
    logger=dict(interval=100, log_metric_by_epoch=False),
    checkpoint=dict(by_epoch=False, interval=900, max_keep_ckpts=1, save_best=None),
    curves=None,
    correct=dict(type='vitbackbones.CorrectPicturesHook'),
)
