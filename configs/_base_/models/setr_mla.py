"""SETR-MLA with the released head: four maps, aggregated.

Four auxiliary heads, on the maps of the neck. A run config adds the backbone (which blocks are
read follows from its depth).
"""

_base_ = './setr.py'

model = dict(
    backbone=dict(out_indices='setr_mla'),
    neck=dict(type='vitbackbones.MLANeck'),
    decode_head=dict(
        type='vitbackbones.SETRMLAHead',
        num_classes=150,
        loss_decode=dict(type='CrossEntropyLoss', loss_weight=1.0),
    ),
    auxiliary_head=dict(
        type='vitbackbones.SETRAuxHead',
        kind='mla',
        num_classes=150,
        loss_decode=dict(type='CrossEntropyLoss', loss_weight=0.4),
    ),
)
