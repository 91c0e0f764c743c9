"""SETR-PUP with the released head: one map, enlarged step by step.

Four auxiliary heads, the last on the same map. A run config adds the backbone (which blocks are
read follows from its depth) and its width:

    model = dict(
        backbone=dict(...),
        decode_head=dict(in_channels=...),
        auxiliary_head=dict(in_channels=...),
    )
"""

_base_ = './setr.py'

model = dict(
    backbone=dict(out_indices='setr_pup'),
    decode_head=dict(
        type='vitbackbones.SETRPUPHead',
        in_index=3,
        num_classes=150,
        loss_decode=dict(type='CrossEntropyLoss', loss_weight=1.0),
    ),
    auxiliary_head=dict(
        type='vitbackbones.SETRAuxHead',
        kind='pup',
        in_index=[0, 1, 2, 3],
        num_classes=150,
        loss_decode=dict(type='CrossEntropyLoss', loss_weight=0.4),
    ),
)
