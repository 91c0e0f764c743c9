"""TNT's and Aug-ViT's augmentation at 384 pixels."""

_base_ = './half.py'

train_steps = _base_.train_steps
train_steps.crop.transforms = [
    [dict(type='vitbackbones.RandomResizedCrop', scale=384, interpolation='bilinear')],
    [dict(type='vitbackbones.RandomResizedCrop', scale=384, interpolation='bicubic')],
]
train_pipeline = list(train_steps.values())

test_steps = _base_.test_steps
test_steps.resize.scale = 426
test_steps.crop.crop_size = 384
test_pipeline = list(test_steps.values())
