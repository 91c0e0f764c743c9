"""A small RetinaNet on drawn shapes, for minutes on two CPU cores.

    python -m vitbackbones.data.shapes data/shapes

A run config adds a small backbone.
"""

_base_ = [
    '../models/retinanet_small.py',
    '../datasets/shapes_detection.py',
    '../schedules/detector_shapes.py',
    '../default_runtime.py',
]
