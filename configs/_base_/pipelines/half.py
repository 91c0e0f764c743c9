"""TNT's and Aug-ViT's augmentation at 224 pixels: DeiT's with a random interpolation.

Noise and padding are centred on grey, as mean and std are 0.5; evaluation crops 0.9 of the image.
RandAugment's own interpolation, drawn from the two as well in the published code, is bicubic here.
"""

_base_ = './deit.py'

train_pipeline = _base_.train_pipeline
train_pipeline[1] = dict(
    type='RandomChoice',  # another interpolation for each image
    transforms=[
        [dict(type='RandomResizedCrop', scale=224, backend='pillow', interpolation='bilinear')],
        [dict(type='RandomResizedCrop', scale=224, backend='pillow', interpolation='bicubic')],
    ],
)
train_pipeline[3].hparams.pad_val = [128, 128, 128]
train_pipeline[4].update(fill_color=[127.5] * 3, fill_std=[127.5] * 3)
test_pipeline = _base_.test_pipeline
test_pipeline[1].scale = 248
