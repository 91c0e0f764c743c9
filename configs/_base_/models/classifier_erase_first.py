"""The classifier that erases before MixUp and CutMix, as DeiT's script does."""

_base_ = './classifier_erase.py'

model = dict(data_preprocessor=dict(before_mixing=True))
