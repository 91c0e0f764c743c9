# ruff: noqa: C408
"""The smallest classifier that trains, its backbone that of tiny_detr; averages its weights."""

default_scope = 'mmpretrain'
custom_imports = dict(imports=['vitbackbones'])
data_root = 'data/'
dims = 32

model = dict(
    type='vitbackbones.ImageClassifier',
    data_preprocessor=dict(num_classes=3, mean=[128.0] * 3, std=[64.0] * 3),
    backbone=dict(
        type='vitbackbones.AugViT',
        arch=dict(embed_dims=dims, depth=1, num_heads=2),
        img_size=48,
        out_type='cls_token',
    ),
    head=dict(type='LinearClsHead', num_classes=3, in_channels=dims),
)

pipeline = [dict(type='vitbackbones.LoadImage'), dict(type='PackInputs')]
train_dataloader = dict(
    batch_size=2,
    num_workers=0,
    sampler=dict(type='DefaultSampler', shuffle=True),
    dataset=dict(type='CustomDataset', data_root=data_root, data_prefix='train', pipeline=pipeline),
)
val_dataloader = dict(
    batch_size=2,
    num_workers=0,
    sampler=dict(type='DefaultSampler', shuffle=False),
    dataset=dict(type='CustomDataset', data_root=data_root, data_prefix='val', pipeline=pipeline),
)
test_dataloader = val_dataloader
val_evaluator = dict(type='Accuracy', topk=(1, 2))
test_evaluator = val_evaluator

optim_wrapper = dict(type='OptimWrapper', optimizer=dict(type='AdamW', lr=1e-2))
train_cfg = dict(type='EpochBasedTrainLoop', max_epochs=1, val_interval=1)
val_cfg = dict(type='ValLoop')
test_cfg = dict(type='TestLoop')
default_hooks = dict(
    logger=dict(type='LoggerHook', interval=1),
    checkpoint=dict(type='CheckpointHook', interval=1),
    ema=dict(type='EMAHook', momentum=0.1),
)
env_cfg = dict(mp_cfg=dict(mp_start_method='fork', opencv_num_threads=0))
randomness = dict(seed=0)
