"""SETR-MLA on CamVid at half its size, small enough for two CPU cores.

Protocol: 1250 steps of 16 crops of 160 x 160 from random weights, a shortened schedule.

A run config adds a small backbone.
"""

_base_ = [
    '../models/setr_mla_small.py',
    '../datasets/camvid.py',
    '../schedules/setr_shapes.py',
    '../segmentation_runtime.py',
]

param_scheduler = [
    dict(type='LinearLR', start_factor=0.01, begin=0, end=100, by_epoch=False),
    dict(type='CosineAnnealingLR', eta_min_ratio=0.01, begin=100, end=1250, by_epoch=False),
]
train_cfg = dict(max_iters=1250)
model = dict(
    data_preprocessor=dict(size=(160, 160)),
    decode_head=dict(num_classes=11),
    auxiliary_head=dict(num_classes=11),
    test_cfg=dict(mode='slide', crop_size=(160, 160), stride=(80, 80)),
)
default_hooks = dict(checkpoint=dict(interval=250), logger=dict(interval=25))

train_steps = _base_.train_steps
train_steps.resize.scale = (240, 180)
train_steps.crop.crop_size = (160, 160)
del train_steps.color
train_pipeline = list(train_steps.values())
test_steps = _base_.test_steps
test_steps.resize.scale = (240, 180)  # masks are not resized: the answer is compared at full size
test_pipeline = list(test_steps.values())

train_dataloader = dict(num_workers=1, dataset=dict(pipeline=train_pipeline))
val_dataloader = dict(batch_size=8, num_workers=1, dataset=dict(pipeline=test_pipeline))
test_dataloader = val_dataloader
