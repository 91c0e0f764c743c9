"""EoMT in mmseg, small enough to learn on two CPU cores within minutes.

Images of 128 x 128, the 4 classes of Shapes. As for the full one, a run config adds the backbone.
"""

_base_ = './eomt.py'

model = dict(
    data_preprocessor=dict(size=(128, 128)),
    decode_head=dict(num_classes=4, num_queries=20, num_blocks=2, train_cfg=dict(num_points=1024)),
)
