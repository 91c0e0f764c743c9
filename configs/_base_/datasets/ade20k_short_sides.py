"""ADE20K as Mask2Former trains on it: short sides of 256, 307, ..., 1024 pixels before the crop.

The long side is at most 2048 pixels.
"""

_base_ = './ade20k.py'

train_steps = _base_.train_steps
train_steps.resize = dict(
    type='RandomChoiceResize',
    scales=[512 * tenths // 10 for tenths in range(5, 21)],
    resize_type='ResizeShortestEdge',
    max_size=2048,
)
train_pipeline = list(train_steps.values())

train_dataloader = dict(dataset=dict(pipeline=train_pipeline))
