"""A small Deformable DETR on drawn shapes, for minutes on two CPU cores.

    python -m vitbackbones.datasets.shapes data/shapes

A run config adds a small backbone and joins the two:

    model = dict(backbone=_base_.backbone, neck=_base_.maps)
"""

_base_ = [
    '../models/deformable_detr_small.py',
    '../datasets/shapes_detection.py',
    '../schedules/detr_shapes.py',
    '../default_runtime.py',
]
