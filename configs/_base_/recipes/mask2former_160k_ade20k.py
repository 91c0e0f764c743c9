"""Mask2Former for semantic segmentation on ADE20K.

Source: Mask2Former (Cheng et al., CVPR 2022), configs of the repository and of mmsegmentation.
Protocol: 160k iterations at batch 16 (8 GPUs x 2 images), AdamW 1e-4, backbone 1e-5, polynomial
    decay to 0, gradients of norm 0.01; short sides of 256 to 1024, crops of 512 x 512; tested in
    one piece at a short side of 512. --tta: six scales and flips.
Nearest published: 47.7 / 49.6 (mIoU, one scale / several with flips, Swin-T, README of the
    repository), for the backbones of which nothing was published.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds a backbone, and says how the head reads its maps.
"""

_base_ = [
    '../models/mask2former.py',
    '../datasets/ade20k.py',
    '../schedules/mask2former_optimizer.py',
    '../segmentation_runtime.py',
]

param_scheduler = [
    dict(type='PolyLR', eta_min=0.0, power=0.9, begin=0, end=160000, by_epoch=False),
]
train_cfg = dict(type='IterBasedTrainLoop', max_iters=160000, val_interval=5000)
default_hooks = dict(checkpoint=dict(interval=5000))

train_steps = _base_.train_steps
train_steps.resize = dict(
    type='RandomChoiceResize',
    scales=[512 * tenths // 10 for tenths in range(5, 21)],
    resize_type='ResizeShortestEdge',
    max_size=2048,
)
train_pipeline = list(train_steps.values())

train_dataloader = dict(dataset=dict(pipeline=train_pipeline))
