"""iNaturalist 2018 under data/inat2018 (train_val2018/, train2018.json, val2018.json), 224 pixels.

Augmented as for DeiT on ImageNet, each image three times, but erasing 0.1.
"""

_base_ = '../pipelines/deit.py'

data_root = 'data/inat2018/'

train_pipeline = [
    dict(step, erase_prob=0.1) if step.type == 'RandomErasing' else step
    for step in _base_.train_pipeline
]
test_pipeline = _base_.test_pipeline

train_dataloader = dict(
    batch_size=96,
    num_workers=8,
    persistent_workers=True,  # else every epoch draws the same augmentations
    collate_fn=dict(type='default_collate'),
    sampler=dict(type='RepeatAugSampler', shuffle=True, num_repeats=3),
    drop_last=True,
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
