"""Mask2Former for instances, small enough to learn on two CPU cores within minutes.

Images of 128 x 128, the 3 classes of Shapes. A run config joins it with a backbone as the full one.
"""

_base_ = ['./mask2former_instance.py', './mask2former_small_parts.py']

model = dict(
    data_preprocessor=dict(batch_augments=None),
    neck=dict(out_channels=64),
    panoptic_head=dict(
        **_base_.small_head,
        num_things_classes=3,
        loss_cls=dict(class_weight=[1.0] * 3 + [0.1]),
    ),
    panoptic_fusion_head=dict(num_things_classes=3),
    train_cfg=_base_.small_matching,
    test_cfg=dict(max_per_image=20),
)
