"""The classifier with erasing after MixUp and CutMix, as in timm's loader; noise is not clipped."""

_base_ = './classifier.py'

model = dict(data_preprocessor=dict(type='vitbackbones.ErasingPreprocessor', erase_prob=0.25))
