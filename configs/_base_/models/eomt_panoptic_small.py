"""EoMT for things and stuff, small enough to learn on two CPU cores within minutes.

Images of 128 x 128, 3 things and the ground of Shapes. A run config joins it with a backbone as
the full one.
"""

_base_ = './eomt_panoptic.py'

model = dict(
    data_preprocessor=dict(batch_augments=None),
    panoptic_head=dict(num_things_classes=3, num_stuff_classes=1, num_queries=20, num_blocks=2),
    panoptic_fusion_head=dict(num_things_classes=3, num_stuff_classes=1),
    train_cfg=dict(num_points=1024),
    test_cfg=dict(max_per_image=20),
)
