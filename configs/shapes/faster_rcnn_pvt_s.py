"""A small Faster R-CNN on a small PVT, Shapes.

The wiring of faster_rcnn_pvt_s_coco at a size that learns within minutes.
Hardware: two CPU cores or any GPU.

    python -m vitbackbones.data.shapes data/shapes
    python tools/train.py configs/shapes/faster_rcnn_pvt_s.py
"""

_base_ = [
    '../_base_/models/faster_rcnn_small.py',
    '../_base_/models/small_pvt.py',
    '../_base_/datasets/shapes_detection.py',
    '../_base_/schedules/detector_shapes.py',
    '../_base_/default_runtime.py',
]

model = dict(backbone=_base_.small_pvt)
