"""Oxford Flowers-102 at 384 pixels under data/flowers102 (jpg/, imagelabels.mat, setid.mat).

Augmented as for TNT on ImageNet, each image three times; trained on train + val, 2040 images.
"""

_base_ = '../pipelines/half_384.py'

data_root = 'data/flowers102/'

train_dataloader = dict(
    batch_size=16,
    num_workers=8,
    persistent_workers=True,  # else every epoch draws the same augmentations
    collate_fn=dict(type='default_collate'),
    sampler=dict(type='RepeatAugSampler', shuffle=True, num_repeats=3),
    drop_last=True,
    dataset=dict(
        type='Flowers102', data_root=data_root, split='trainval', pipeline=_base_.train_pipeline
    ),
)
val_dataloader = dict(
    batch_size=64,
    num_workers=8,
    persistent_workers=True,
    collate_fn=dict(type='default_collate'),
    sampler=dict(type='DefaultSampler', shuffle=False),
    dataset=dict(
        type='Flowers102', data_root=data_root, split='test', pipeline=_base_.test_pipeline
    ),
)
test_dataloader = val_dataloader

val_evaluator = dict(type='Accuracy', topk=(1, 5))
test_evaluator = val_evaluator
