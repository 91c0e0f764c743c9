"""DeiT's augmentation at 512 pixels."""

_base_ = './deit.py'

train_steps = _base_.train_steps
train_steps.crop.scale = 512
train_pipeline = list(train_steps.values())

test_steps = _base_.test_steps
test_steps.resize.scale = 585
test_steps.crop.crop_size = 512
test_pipeline = list(test_steps.values())
