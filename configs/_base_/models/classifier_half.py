"""As timm's loader, with images scaled to [-1, 1] as in TNT's and Aug-ViT's code: mean, std 0.5."""

_base_ = './classifier_erase.py'

model = dict(data_preprocessor=dict(mean=[127.5] * 3, std=[127.5] * 3))
