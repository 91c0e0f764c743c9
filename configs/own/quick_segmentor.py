"""Masks on your own images in minutes: SETR-MLA's head on a small SReT.

Reproduces: nothing published; chosen by measurement, docs/quick.md.
Schedule: 2000 steps of 4 crops of 160 x 160, from pictures of about 240 pixels.
Weights: sret_quick, in the package; --scratch starts from random weights.
Hardware: two CPU cores or any GPU; 0.11 s a step on two free cores (CamVid), 4 minutes.

    python tools/train.py configs/own/quick_segmentor.py --data-root FOLDER
    python tools/train.py configs/own/quick_segmentor.py  # on Shapes, under data/shapes
"""

_base_ = [
    '../_base_/models/quick_segmentor.py',
    '../_base_/models/quick_sret.py',
    '../_base_/datasets/quick_segmentation.py',
    '../_base_/schedules/quick.py',
    '../_base_/segmentation_runtime.py',
]

model = dict(backbone=_base_.quick_sret_pretrained)
optim_wrapper = dict(optimizer=dict(lr=2e-3))
default_hooks = dict(logger=dict(interval=25), checkpoint=dict(interval=500))
