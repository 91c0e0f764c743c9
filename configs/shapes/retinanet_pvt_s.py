"""A small RetinaNet on a small PVT, Shapes.

The wiring of retinanet_pvt_s_coco at a size that learns within minutes.
Measured: AP 0.869, AP50 0.992, AP75 0.963 after 6 epochs (AP 0.787 after 2); some pictures have
    a second, weaker box on an object, of another class.
Hardware: two CPU cores or any GPU.

    python -m vitbackbones.data.shapes data/shapes
    python tools/train.py configs/shapes/retinanet_pvt_s.py
"""

_base_ = [
    '../_base_/models/retinanet_small.py',
    '../_base_/models/small_pvt.py',
    '../_base_/datasets/shapes_detection.py',
    '../_base_/schedules/detector_shapes.py',
    '../_base_/default_runtime.py',
]

model = dict(backbone=_base_.small_pvt)
