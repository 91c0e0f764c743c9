"""TNT's and Aug-ViT's augmentation at 224 pixels: timm's loader, padding with gray.

As mean and std are 0.5.
"""

_base_ = './timm.py'

train_steps = _base_.train_steps
train_steps.augment.hparams.pad_val = [128, 128, 128]
train_pipeline = list(train_steps.values())
