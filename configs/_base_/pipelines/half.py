"""TNT's and Aug-ViT's augmentation at 224 pixels: timm's loader, padding with gray.

As mean and std are 0.5.
"""

_base_ = './timm.py'

gray = dict(pad_val=[128, 128, 128], interpolation='bicubic')
train_pipeline = [
    dict(step, hparams=gray) if step.type == 'RandAugment' else step
    for step in _base_.train_pipeline
]
test_pipeline = _base_.test_pipeline
