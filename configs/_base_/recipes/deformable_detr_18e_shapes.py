"""A small Deformable DETR on drawn shapes, for minutes on two CPU cores.

    python -m vitbackbones.data.shapes data/shapes

A run config adds a small backbone.
"""

_base_ = [
    '../models/deformable_detr_small.py',
    '../datasets/shapes_detection.py',
    '../schedules/detr_shapes.py',
    '../default_runtime.py',
]
