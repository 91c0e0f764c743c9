"""timm's loader at 224 pixels: DeiT's augmentation with a random interpolation, crops of 0.9.

timm erases after MixUp and CutMix (models/classifier_half.py).
RandAugment's own interpolation, drawn from the two as well in the published code, is bicubic here.
"""

_base_ = './deit.py'

train_steps = _base_.train_steps
train_steps.crop = dict(
    type='RandomChoice',  # another interpolation for each image
    transforms=[
        [dict(type='vitbackbones.RandomResizedCrop', scale=224, interpolation='bilinear')],
        [dict(type='vitbackbones.RandomResizedCrop', scale=224, interpolation='bicubic')],
    ],
)
train_pipeline = list(train_steps.values())

test_steps = _base_.test_steps
test_steps.resize.scale = 248
test_pipeline = list(test_steps.values())
