"""The same, erasing after MixUp and CutMix, as timm's loader does; noise is not clipped."""

_base_ = './classifier.py'

model = dict(data_preprocessor=dict(type='vitbackbones.ErasingPreprocessor', erase_prob=0.25))
