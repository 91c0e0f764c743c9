"""RetinaNet for objects of a quarter of a picture of 128 pixels, for two CPU cores.

Three levels, 64 channels, two convolutions in each branch. A run config adds a small backbone as
for the full one.
"""

_base_ = './retinanet.py'

model = dict(
    neck=dict(out_channels=64, num_outs=3),
    bbox_head=dict(
        num_classes=3,
        in_channels=64,
        feat_channels=64,
        stacked_convs=2,
        anchor_generator=dict(strides=[8, 16, 32]),
    ),
)
