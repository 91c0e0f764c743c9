"""A small Faster R-CNN on a small PVT, Shapes.

The wiring of faster_rcnn_pvt_s_coco at a size that learns within minutes.
Hardware: two CPU cores or any GPU.

    python -m vitbackbones.datasets.shapes data/shapes
    python tools/train.py configs/shapes/faster_rcnn_pvt_s.py
"""

_base_ = ['../_base_/recipes/faster_rcnn_6e_shapes.py', '../_base_/backbones/pvt_small.py']

model = dict(backbone=_base_.backbone, neck=_base_.maps)
