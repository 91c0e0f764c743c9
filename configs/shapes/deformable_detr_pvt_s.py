"""A small Deformable DETR on a small PVT, Shapes.

The wiring of deformable_detr_pvt_s_coco at a size that learns within minutes.
Hardware: two CPU cores or any GPU.

    python -m vitbackbones.datasets.shapes data/shapes
    python tools/train.py configs/shapes/deformable_detr_pvt_s.py
"""

_base_ = ['../_base_/recipes/deformable_detr_18e_shapes.py', '../_base_/backbones/pvt_small.py']

model = dict(backbone=_base_.backbone, neck=_base_.maps)
