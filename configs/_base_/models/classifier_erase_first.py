"""The classifier that erases before MixUp and CutMix, as DeiT's script does."""

_base_ = './classifier.py'

model = dict(
    data_preprocessor=dict(
        type='vitbackbones.ErasingPreprocessor', erase_prob=0.25, before_mixing=True
    )
)
