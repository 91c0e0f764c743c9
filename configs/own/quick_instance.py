"""Masks of objects on your own images in minutes: RTMDet-Ins's head on a small SReT.

Reproduces: nothing published; docs/quick.md.
Measured: mask AP 0.111, AP50 0.206 on val of facades (--steps 1800), 0.055 and 0.121 on val of
    cars (--steps 2500). From sret_quick: 0.645, 0.866 on 40 pictures of Shapes (--size 128
    --steps 240 on 200 others).
Schedule: 2000 steps of 4 pictures of at most 320 x 320.
Weights: quick_mosaics, in the package: backbone, neck and most of the head. Its backbone began as
    sret_quick. --scratch starts from random weights.
Hardware: two CPU cores or any GPU; 1.2 to 1.6 times the CPU seconds of quick_detector.

    python tools/train.py configs/own/quick_instance.py --data-root FOLDER
    python tools/train.py configs/own/quick_instance.py  # on Shapes, under data/shapes
"""

_base_ = [
    '../_base_/models/quick_instance.py',
    '../_base_/models/quick_sret.py',
    '../_base_/datasets/quick_instance.py',
    '../_base_/schedules/quick.py',
    '../_base_/default_runtime.py',
]

load_from = 'quick_mosaics'
model = dict(backbone=_base_.quick_sret_pretrained)
default_hooks = dict(
    logger=dict(interval=25, log_metric_by_epoch=False),
    checkpoint=dict(by_epoch=False, interval=500, save_best='coco/segm_mAP'),
)
log_processor = dict(by_epoch=False)
