"""CIFAR-10 at 224 pixels under data/cifar10, as DeiT augments ImageNet, but nothing is erased."""

_base_ = '../pipelines/deit.py'

data_root = 'data/cifar10/'

# The data set holds decoded pictures (BGR, as from files): nothing is loaded.
left_out = ('vitbackbones.LoadImage', 'LoadImageFromFile', 'RandomErasing')
train_pipeline = [step for step in _base_.train_pipeline if step.type not in left_out]
test_pipeline = [step for step in _base_.test_pipeline if step.type not in left_out]

train_dataloader = dict(
    batch_size=96,
    num_workers=8,
    persistent_workers=True,  # else every epoch draws the same augmentations
    collate_fn=dict(type='default_collate'),
    sampler=dict(type='RepeatAugSampler', shuffle=True, num_repeats=3),
    drop_last=True,
    dataset=dict(
        type='vitbackbones.CIFAR10',
        data_root=data_root,
        split='train',
        download=False,
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
        type='vitbackbones.CIFAR10',
        data_root=data_root,
        split='test',
        download=False,
        pipeline=test_pipeline,
    ),
)
test_dataloader = val_dataloader

val_evaluator = dict(type='Accuracy', topk=(1, 5))
test_evaluator = val_evaluator
