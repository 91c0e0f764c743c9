"""SETR-PUP with the released head: one map, enlarged step by step.

Four auxiliary heads, the last on the same map. A run config adds the backbone (which blocks are
read follows from its depth).
"""

_base_ = './setr.py'

model = dict(
    backbone=dict(out_indices='setr_pup'),
    decode_head=dict(
        type='vitbackbones.SETRPUPHead',
        num_classes=150,
        loss_decode=dict(type='CrossEntropyLoss', loss_weight=1.0),
    ),
    auxiliary_head=dict(
        type='vitbackbones.SETRAuxHead',
        kind='pup',
        num_classes=150,
        loss_decode=dict(type='CrossEntropyLoss', loss_weight=0.4),
    ),
)
