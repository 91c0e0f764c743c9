"""The quick configs' backbone on crops of CamVid: eight classes, what frozen runs start from.

Reproduces: nothing published; used in docs/quick.md.
Schedule: 10 epochs of 6400 crops of 32 pixels, enlarged to 64.
Measured: top-1 84.0 and 83.0 on val, 960 crops, in two runs; docs/quick.md has the second.
Hardware: one CPU core, 6 minutes; 24 on one that others used as well.

    python tools/train.py configs/studies/_base_/quick_sret_camvid_crops.py
"""

_base_ = [
    '../../_base_/models/classifier.py',
    '../../_base_/models/quick_sret.py',
    '../../_base_/datasets/camvid_crops.py',
    '../../_base_/schedules/cls_shapes.py',
    '../../_base_/cls_runtime.py',
]

model = dict(
    data_preprocessor=dict(num_classes=8),
    backbone=dict(**_base_.quick_sret, out_type='pooled'),
    head=dict(num_classes=8, topk=(1,)),
    train_cfg=None,
)
model['backbone']['img_size'] = 64

enlarge = dict(type='Resize', scale=64)
train_steps, test_steps = _base_.train_steps, _base_.test_steps
train_pipeline = [
    train_steps.load,
    train_steps.crop,
    enlarge,
    train_steps.flip,
    train_steps.pack,
]
test_pipeline = [test_steps.load, test_steps.resize, test_steps.crop, enlarge, test_steps.pack]
train_dataloader = dict(batch_size=64, dataset=dict(pipeline=train_pipeline))
val_dataloader = dict(dataset=dict(pipeline=test_pipeline))
test_dataloader = dict(dataset=dict(pipeline=test_pipeline))
default_hooks = dict(checkpoint=dict(max_keep_ckpts=1))
