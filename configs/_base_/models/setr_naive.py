"""SETR-Naive with the released head: one map, one step to the image.

Three auxiliary heads on earlier blocks. A run config adds the backbone (which blocks are read
follows from its depth).
"""

_base_ = './setr.py'

model = dict(
    backbone=dict(out_indices='setr_naive'),
    decode_head=dict(
        type='vitbackbones.SETRNaiveHead',
        num_classes=150,
        loss_decode=dict(type='CrossEntropyLoss', loss_weight=1.0),
    ),
    auxiliary_head=dict(
        type='vitbackbones.SETRAuxHead',
        kind='naive',
        num_classes=150,
        loss_decode=dict(type='CrossEntropyLoss', loss_weight=0.4),
    ),
)
