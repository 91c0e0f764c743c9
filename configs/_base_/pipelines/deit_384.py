"""DeiT's augmentation at 384 pixels."""

_base_ = './deit.py'

train_pipeline = _base_.train_pipeline
train_pipeline[1].scale = 384
test_pipeline = _base_.test_pipeline
test_pipeline[1].scale = 438
test_pipeline[2].crop_size = 384
