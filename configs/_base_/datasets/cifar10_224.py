"""CIFAR-10 at 224 pixels under data/cifar10, augmented as for DeiT on ImageNet, nothing erased."""

data_root = 'data/cifar10/'

train_pipeline = [
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
    dict(type='PackInputs'),
]
test_pipeline = [
    dict(type='ResizeEdge', scale=224, edge='short', backend='pillow', interpolation='bicubic'),
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
        type='CIFAR10', data_root=data_root, split='train', download=False, pipeline=train_pipeline
    ),
)
val_dataloader = dict(
    batch_size=128,
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
