"""The classifier that erases, with TNT's and Aug-ViT's mean and std 0.5: images in [-1, 1]."""

_base_ = './classifier_erase.py'

model = dict(data_preprocessor=dict(mean=[127.5] * 3, std=[127.5] * 3))
