"""Mask2Former in mmseg, small enough to learn on two CPU cores within minutes.

Images of 128 x 128, the 4 classes of Shapes. A run config joins it with a backbone as the full one.
"""

_base_ = ['./mask2former.py', './mask2former_small_parts.py']

model = dict(
    data_preprocessor=dict(size=(128, 128)),
    neck=dict(out_channels=64),
    decode_head=dict(
        **_base_.small_head,
        num_classes=4,
        loss_cls=dict(class_weight=[1.0] * 4 + [0.1]),
        train_cfg=_base_.small_matching,
    ),
)
