"""The classifier with TNT's and Aug-ViT's mean and std 0.5: images in [-1, 1].

It erases after MixUp and CutMix, as timm's loader does; noise is not clipped.
"""

_base_ = './classifier.py'

model = dict(
    data_preprocessor=dict(
        type='vitbackbones.ErasingPreprocessor',
        erase_prob=0.25,
        mean=[127.5] * 3,
        std=[127.5] * 3,
    )
)
