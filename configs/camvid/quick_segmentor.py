"""The quick segmentor on CamVid: road scenes in eleven classes, 367 training frames.

Reproduces: nothing published.
Schedule: 2000 steps of 4 crops of 160 x 160, as quick_segmentor; compared in docs/quick.md.
Weights: sret_quick, in the package; --scratch starts from random weights.
Hardware: two CPU cores or any GPU; 0.11 s a step on two free cores (CamVid), 4 minutes.

    python tools/train.py configs/camvid/quick_segmentor.py
"""

_base_ = [
    '../_base_/models/quick_segmentor.py',
    '../_base_/models/quick_sret.py',
    '../_base_/datasets/camvid.py',
    '../_base_/schedules/quick.py',
    '../_base_/segmentation_runtime.py',
]

model = dict(
    backbone=_base_.quick_sret_pretrained,
    decode_head=dict(num_classes=11),
    auxiliary_head=dict(num_classes=11),
)
optim_wrapper = dict(optimizer=dict(lr=2e-3))
default_hooks = dict(logger=dict(interval=25), checkpoint=dict(interval=500))

train_steps = _base_.train_steps
train_steps.resize.scale = (240, 240)
train_steps.crop.crop_size = (160, 160)
del train_steps.color
train_pipeline = list(train_steps.values())
test_steps = _base_.test_steps
test_steps.resize.scale = (240, 240)
test_pipeline = list(test_steps.values())

train_dataloader = dict(batch_size=4, num_workers=2, dataset=dict(pipeline=train_pipeline))
val_dataloader = dict(dataset=dict(pipeline=test_pipeline))
test_dataloader = val_dataloader
