"""ImageNet-1k as DeiT augments it, each image three times."""

_base_ = ['./imagenet.py', '../pipelines/deit.py']

train_dataloader = dict(dataset=dict(pipeline=_base_.train_pipeline))
val_dataloader = dict(dataset=dict(pipeline=_base_.test_pipeline))
test_dataloader = val_dataloader
