"""ImageNet-1k as T2T-ViT augments it: timm's RandAugment and erasing, no repetition.

DeiT's way, with a random interpolation and an evaluation crop of 0.9. RandAugment's own
interpolation, drawn from the two as well in the published code, is bicubic here.
"""

_base_ = ['./imagenet.py', '../pipelines/deit.py']

train_pipeline = _base_.train_pipeline
train_pipeline[1] = dict(
    type='RandomChoice',  # another interpolation for each image
    transforms=[
        [dict(type='RandomResizedCrop', scale=224, backend='pillow', interpolation='bilinear')],
        [dict(type='RandomResizedCrop', scale=224, backend='pillow', interpolation='bicubic')],
    ],
)
test_pipeline = _base_.test_pipeline
test_pipeline[1].scale = 248

train_dataloader = dict(
    batch_size=64,
    sampler=dict(_delete_=True, type='DefaultSampler', shuffle=True),
    dataset=dict(pipeline=train_pipeline),
)
val_dataloader = dict(dataset=dict(pipeline=test_pipeline))
test_dataloader = val_dataloader
