"""CIFAR-10 at 384 pixels under data/cifar10, augmented as for TNT on ImageNet."""

data_root = 'data/cifar10/'

train_pipeline = [
    dict(type='RandomResizedCrop', scale=384, backend='pillow', interpolation='bicubic'),
    dict(type='RandomFlip', prob=0.5, direction='horizontal'),
    dict(
        type='RandAugment',
        policies='timm_increasing',
        num_policies=2,
        magnitude_level=9,
        magnitude_std=0.5,
        total_level=10,
        hparams=dict(pad_val=[128, 128, 128], interpolation='bicubic'),
    ),
    dict(
        type='RandomErasing',
        erase_prob=0.25,
        mode='rand',
        min_area_ratio=0.02,
        max_area_ratio=1 / 3,
        fill_color=[127.5] * 3,
        fill_std=[127.5] * 3,
    ),
    dict(type='PackInputs'),
]
test_pipeline = [
    dict(type='ResizeEdge', scale=384, edge='short', backend='pillow', interpolation='bicubic'),
    dict(type='CenterCrop', crop_size=384),
    dict(type='PackInputs'),
]

train_dataloader = dict(
    batch_size=16,
    num_workers=8,
    persistent_workers=True,  # else every epoch draws the same augmentations
    collate_fn=dict(type='default_collate'),
    sampler=dict(type='DefaultSampler', shuffle=True),
    dataset=dict(
        type='CIFAR10', data_root=data_root, split='train', download=False, pipeline=train_pipeline
    ),
)
val_dataloader = dict(
    batch_size=64,
    num_workers=8,
    persistent_workers=True,
    collate_fn=dict(type='default_collate'),
    sampler=dict(type='DefaultSampler', shuffle=False),
    dataset=dict(
        type='CIFAR10', data_root=data_root, split='test', download=False, pipeline=test_pipeline
    ),
)
test_dataloader = val_dataloader

val_evaluator = dict(type='Accuracy', topk=(1, 5))
test_evaluator = val_evaluator
