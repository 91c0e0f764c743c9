"""The same with images scaled to [-1, 1], as in TNT's and Aug-ViT's code: mean and std 0.5."""

_base_ = './classifier.py'

model = dict(data_preprocessor=dict(mean=[127.5] * 3, std=[127.5] * 3))
