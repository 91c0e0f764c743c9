"""Semantic FPN, small enough to learn on two CPU cores within minutes.

A quarter of the channels, images of 128 x 128, the 4 classes of Shapes. A run config joins it with
a backbone as the full one.
"""

_base_ = './semantic_fpn.py'

model = dict(
    data_preprocessor=dict(size=(128, 128)),
    neck=dict(out_channels=64),
    decode_head=dict(channels=32, num_classes=4),
)
