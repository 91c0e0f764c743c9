"""iNaturalist 2018 under data/inat2018 (train_val2018/, train2018.json, val2018.json), 224 pixels.

Augmented as for DeiT on ImageNet, erasing 0.1.
"""

data_root = 'data/inat2018/'

train_pipeline = [
    dict(type='vitbackbones.LoadImage'),
    dict(type='RandomResizedCrop', scale=224, backend='pillow', interpolation='bicubic'),
    dict(type='RandomFlip', prob=0.5, direction='horizontal'),
    dict(
        type='RandAugment',
        policies='timm_increasing',
        num_policies=2,
        magnitude_level=9,
        magnitude_std=0.5,
        total_level=10,
        hparams=dict(pad_val=[104, 116, 124], interpolation='bicubic'),
    ),
    dict(
        type='RandomErasing',
        erase_prob=0.1,
        mode='rand',
        min_area_ratio=0.02,
        max_area_ratio=1 / 3,
        fill_color=[103.53, 116.28, 123.675],
        fill_std=[57.375, 57.12, 58.395],
    ),
    dict(type='PackInputs'),
]
test_pipeline = [
    dict(type='LoadImageFromFile'),
    dict(type='ResizeEdge', scale=256, edge='short', backend='pillow', interpolation='bicubic'),
    dict(type='CenterCrop', crop_size=224),
    dict(type='PackInputs'),
]

train_dataloader = dict(
    batch_size=96,
    num_workers=8,
    persistent_workers=True,  # else every epoch draws the same augmentations
    collate_fn=dict(type='default_collate'),
    sampler=dict(type='DefaultSampler', shuffle=True),
    dataset=dict(
        type='vitbackbones.INaturalist',
        data_root=data_root,
        ann_file='train2018.json',
        pipeline=train_pipeline,
    ),
)
val_dataloader = dict(
    batch_size=128,
    num_workers=8,
    persistent_workers=True,
    collate_fn=dict(type='default_collate'),
    sampler=dict(type='DefaultSampler', shuffle=False),
    dataset=dict(
        type='vitbackbones.INaturalist',
        data_root=data_root,
        ann_file='val2018.json',
        pipeline=test_pipeline,
    ),
)
test_dataloader = val_dataloader

val_evaluator = dict(type='Accuracy', topk=(1, 5))
test_evaluator = val_evaluator
