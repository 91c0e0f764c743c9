"""ImageNet-1k at 512 pixels, otherwise as DeiT augments it."""

_base_ = ['./imagenet.py', '../pipelines/deit_512.py']

train_dataloader = dict(batch_size=32, dataset=dict(pipeline=_base_.train_pipeline))
val_dataloader = dict(batch_size=32, dataset=dict(pipeline=_base_.test_pipeline))
test_dataloader = val_dataloader
