"""A small Mask R-CNN on drawn shapes, for minutes on two CPU cores.

    python -m vitbackbones.data.shapes data/shapes

A run config adds a small backbone.
"""

_base_ = [
    '../models/mask_rcnn_small.py',
    '../datasets/shapes_instance.py',
    '../schedules/detector_shapes.py',
    '../default_runtime.py',
]
