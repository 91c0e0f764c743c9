"""COCO 2017 as most published detectors are trained: 800 x 1333 pixels at most, flips."""

_base_ = './coco_detection.py'

train_steps = _base_.train_steps
train_steps.resize = dict(type='Resize', scale=(1333, 800), keep_ratio=True)
train_pipeline = list(train_steps.values())

train_dataloader = dict(dataset=dict(pipeline=train_pipeline))
