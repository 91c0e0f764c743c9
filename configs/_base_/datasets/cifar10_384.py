"""CIFAR-10 at 384 pixels under data/cifar10, otherwise as at 224."""

_base_ = './cifar10_224.py'

train_steps = _base_.train_steps
train_steps.crop.scale = 384
train_pipeline = list(train_steps.values())
test_steps = _base_.test_steps
test_steps.resize.scale = 438
test_steps.crop.crop_size = 384
test_pipeline = list(test_steps.values())

train_dataloader = dict(batch_size=48, dataset=dict(pipeline=train_pipeline))
val_dataloader = dict(batch_size=64, dataset=dict(pipeline=test_pipeline))
test_dataloader = val_dataloader
