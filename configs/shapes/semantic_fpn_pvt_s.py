"""A small Semantic FPN on a small PVT, Shapes.

The wiring of semantic_fpn_pvt_s_ade20k, on four maps of strides 4 to 32.
Hardware: two CPU cores or any GPU.

    python -m vitbackbones.data.shapes data/shapes
    python tools/train.py configs/shapes/semantic_fpn_pvt_s.py
"""

_base_ = [
    '../_base_/models/semantic_fpn_small.py',
    '../_base_/models/small_pvt.py',
    '../_base_/datasets/shapes_segmentation.py',
    '../_base_/schedules/setr_shapes.py',
    '../_base_/segmentation_runtime.py',
]

model = dict(backbone=_base_.small_pvt)
default_hooks = dict(checkpoint=dict(interval=1000), logger=dict(interval=25))
