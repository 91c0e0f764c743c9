"""SETR-MLA, small enough to learn on two CPU cores within minutes.

A quarter of the channels, images of 128 x 128 in one piece, the 4 classes of Shapes. As for the
full one, a run config adds the backbone.
"""

_base_ = './setr_mla.py'

model = dict(
    data_preprocessor=dict(size=(128, 128)),
    neck=dict(out_channels=64),
    decode_head=dict(channels=32, num_classes=4),
    auxiliary_head=dict(num_classes=4),
    test_cfg=dict(mode='whole', crop_size=None, stride=None),
)
