"""SETR-MLA on CamVid at half its size, small enough for two CPU cores.

Protocol: 1250 steps of 16 crops of 160 x 160 from random weights, a shortened schedule.

A run config adds a small backbone.
"""

_base_ = [
    '../models/setr_mla_small.py',
    '../datasets/camvid_half.py',
    '../schedules/camvid_1250.py',
    '../segmentation_runtime.py',
]

model = dict(
    data_preprocessor=dict(size=(160, 160)),
    decode_head=dict(num_classes=11),
    auxiliary_head=dict(num_classes=11),
    test_cfg=dict(mode='slide', crop_size=(160, 160), stride=(80, 80)),
)
default_hooks = dict(checkpoint=dict(interval=250), logger=dict(interval=25))
