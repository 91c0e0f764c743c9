"""Boxes on your own images in minutes: RTMDet's head on a small SReT.

Reproduces: nothing published; chosen by measurement, docs/quick.md.
Measured: AP 0.573, AP50 0.880 on test of BCCD, 205 training pictures.
Schedule: 2000 steps of 4 pictures of at most 320 x 320.
Weights: quick_mosaics, in the package: backbone, neck and most of the head. Its backbone began as
    sret_quick. --scratch starts from random weights.
Hardware: two CPU cores or any GPU; 0.24 to 0.30 s a step on two free cores, 8 to 10 minutes.

    python tools/train.py configs/own/quick_detector.py --data-root FOLDER
    python tools/train.py configs/own/quick_detector.py  # on Shapes, under data/shapes
"""

_base_ = [
    '../_base_/models/quick_detector.py',
    '../_base_/models/quick_sret.py',
    '../_base_/datasets/quick_detection.py',
    '../_base_/schedules/quick.py',
    '../_base_/default_runtime.py',
]

load_from = 'quick_mosaics'  # neck and most of the head, too
model = dict(backbone=_base_.quick_sret_pretrained)
default_hooks = dict(
    logger=dict(interval=25, log_metric_by_epoch=False),
    checkpoint=dict(by_epoch=False, interval=500),
)
log_processor = dict(by_epoch=False)
