"""ImageNet-1k as T2T-ViT augments it: timm's loader, no repetition."""

_base_ = ['./imagenet.py', '../pipelines/timm.py']

train_dataloader = dict(
    batch_size=64,
    sampler=dict(_delete_=True, type='DefaultSampler', shuffle=True),
    dataset=dict(pipeline=_base_.train_pipeline),
)
val_dataloader = dict(dataset=dict(pipeline=_base_.test_pipeline))
test_dataloader = val_dataloader
