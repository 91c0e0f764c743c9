"""SETR-MLA's head with 64 channels on maps brought to stride 16: minutes of training.

Zheng et al., "Rethinking Semantic Segmentation from a Sequence-to-Sequence Perspective with
Transformers", CVPR 2021. A classifier on each map of the neck learns beside the head and is left
out in testing. A run config adds a backbone, one of whose maps has stride 16:

    model = dict(backbone=dict(type='vitbackbones.PVT', arch='s'))
"""

_base_ = './segmentor.py'

model = dict(
    data_preprocessor=dict(size=(160, 160)),  # of training crops
    neck=dict(type='vitbackbones.MLANeck', out_channels=64),
    decode_head=dict(
        type='vitbackbones.SETRMLAHead',
        num_classes=4,
        channels=32,
        loss_decode=dict(type='CrossEntropyLoss', loss_weight=1.0),
    ),
    auxiliary_head=dict(
        type='vitbackbones.SETRAuxHead',
        kind='mla',
        num_classes=4,
        loss_decode=dict(type='CrossEntropyLoss', loss_weight=0.4),
    ),
)
