"""A small Deformable DETR on a small PVT, Shapes.

The wiring of deformable_detr_pvt_s_coco at a size that learns within minutes.
Hardware: two CPU cores or any GPU.

    python -m vitbackbones.data.shapes data/shapes
    python tools/train.py configs/shapes/deformable_detr_pvt_s.py
"""

_base_ = [
    '../_base_/models/deformable_detr_small.py',
    '../_base_/models/small_pvt.py',
    '../_base_/datasets/shapes_detection.py',
    '../_base_/schedules/detr_shapes.py',
    '../_base_/default_runtime.py',
]

model = dict(backbone=_base_.small_pvt)
