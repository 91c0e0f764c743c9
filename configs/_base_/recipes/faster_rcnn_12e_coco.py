"""Faster R-CNN on COCO, with the 1x schedule of PVT's RetinaNet.

Protocol: 12 epochs, batch 16 (8 GPUs x 2 images), AdamW 1e-4, decay 1e-4, warm-up of 500 steps,
    divided by 10 after epochs 8 and 11; 800 x 1333 pixels at most, flips.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the backbone with its weights.
"""

_base_ = [
    '../models/faster_rcnn.py',
    '../datasets/coco_detection_1x.py',
    '../schedules/detector_12e.py',
    '../default_runtime.py',
]
