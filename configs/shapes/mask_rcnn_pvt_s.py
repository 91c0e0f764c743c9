"""A small Mask R-CNN on a small PVT, Shapes.

The wiring of mask_rcnn_pvt_s_coco at a size that learns within minutes.
Hardware: two CPU cores or any GPU.

    python -m vitbackbones.data.shapes data/shapes
    python tools/train.py configs/shapes/mask_rcnn_pvt_s.py
"""

_base_ = [
    '../_base_/models/mask_rcnn_small.py',
    '../_base_/models/small_pvt.py',
    '../_base_/datasets/shapes_instance.py',
    '../_base_/schedules/detector_shapes.py',
    '../_base_/default_runtime.py',
]

model = dict(backbone=_base_.small_pvt)
