"""EoMT on CamVid at half its size, small enough for two CPU cores.

Protocol: 1250 steps of 16 crops of 160 x 160 from random weights, a shortened schedule, as
    setr_mla_1250_camvid.

A run config adds a small backbone.
"""

_base_ = [
    '../models/eomt_small.py',
    '../datasets/camvid_half.py',
    '../schedules/camvid_1250.py',
    '../segmentation_runtime.py',
]

model = dict(
    data_preprocessor=dict(size=(160, 160)),
    decode_head=dict(num_classes=11, num_queries=50),
    test_cfg=dict(mode='slide', crop_size=(160, 160), stride=(80, 80)),
)
optim_wrapper = dict(optimizer=dict(lr=5e-4), clip_grad=dict(max_norm=1.0, norm_type=2))
default_hooks = dict(checkpoint=dict(interval=250), logger=dict(interval=25))
