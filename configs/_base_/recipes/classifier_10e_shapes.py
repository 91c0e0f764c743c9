"""Ten epochs on drawn shapes of 64 pixels, for minutes on two CPU cores.

    python -m vitbackbones.data.shapes data/shapes_folders --layout folders --size 64

A run config adds a small backbone, and the width of the head.
"""

_base_ = [
    '../models/classifier_shapes.py',
    '../datasets/shapes_classification.py',
    '../schedules/cls_shapes.py',
    '../cls_runtime.py',
]
