"""ImageNet-1k in the usual layout under data/imagenet: train/ and val/ with a folder per class.

Recipes add the pipelines; see the files beside this one.
"""

dataset_type = 'ImageNet'
data_root = 'data/imagenet/'

train_dataloader = dict(
    batch_size=128,
    num_workers=8,
    persistent_workers=True,  # else every epoch draws the same augmentations
    collate_fn=dict(type='default_collate'),
    sampler=dict(type='RepeatAugSampler', shuffle=True, num_repeats=3),
    drop_last=True,  # as in DeiT's and timm's scripts: 1251 steps of 1024 images
    dataset=dict(type=dataset_type, data_root=data_root, split='train', data_prefix='train'),
)
val_dataloader = dict(
    batch_size=128,
    num_workers=8,
    persistent_workers=True,
    collate_fn=dict(type='default_collate'),
    sampler=dict(type='DefaultSampler', shuffle=False),
    dataset=dict(type=dataset_type, data_root=data_root, split='val', data_prefix='val'),
)
test_dataloader = val_dataloader

val_evaluator = dict(type='Accuracy', topk=(1, 5))
test_evaluator = val_evaluator
