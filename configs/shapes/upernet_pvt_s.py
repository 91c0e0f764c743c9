"""A small UPerNet on a small PVT, Shapes.

The head of upernet_swin_t_ade20k, on four maps of strides 4 to 32.
Hardware: two CPU cores or any GPU.

    python -m vitbackbones.data.shapes data/shapes
    python tools/train.py configs/shapes/upernet_pvt_s.py
"""

_base_ = [
    '../_base_/models/upernet_small.py',
    '../_base_/models/small_pvt.py',
    '../_base_/datasets/shapes_segmentation.py',
    '../_base_/schedules/setr_shapes.py',
    '../_base_/segmentation_runtime.py',
]

model = dict(backbone=_base_.small_pvt)
default_hooks = dict(checkpoint=dict(interval=1000), logger=dict(interval=25))
