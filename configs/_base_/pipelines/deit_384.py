"""DeiT's augmentation at 384 pixels."""

_base_ = './deit.py'

train_steps = _base_.train_steps
train_steps.crop.scale = 384
train_pipeline = list(train_steps.values())

test_steps = _base_.test_steps
test_steps.resize.scale = 438
test_steps.crop.crop_size = 384
test_pipeline = list(test_steps.values())
