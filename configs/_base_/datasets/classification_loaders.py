"""How classification loads images: each three times in a pass of training, and once in evaluation.

A data set adds where the images are and what is done to them; see the files beside this one.
"""

train_dataloader = dict(
    batch_size=128,
    num_workers=8,
    persistent_workers=True,  # else every epoch draws the same augmentations
    collate_fn=dict(type='default_collate'),
    sampler=dict(type='RepeatAugSampler', shuffle=True, num_repeats=3),
    drop_last=True,  # as in DeiT's and timm's scripts: 1251 steps of 1024 images
)
val_dataloader = dict(
    batch_size=128,
    num_workers=8,
    persistent_workers=True,
    collate_fn=dict(type='default_collate'),
    sampler=dict(type='DefaultSampler', shuffle=False),
)
test_dataloader = val_dataloader

val_evaluator = dict(type='Accuracy', topk=(1, 5))
test_evaluator = val_evaluator
