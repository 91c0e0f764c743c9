"""A small Mask2Former for semantic segmentation on a small PVT, Shapes.

The head of mask2former_pvt_s_ade20k, on four maps of strides 4 to 32.
Hardware: two CPU cores or any GPU.

    python -m vitbackbones.data.shapes data/shapes
    python tools/train.py configs/shapes/mask2former_pvt_s.py
"""

_base_ = [
    '../_base_/models/mask2former_small.py',
    '../_base_/models/small_pvt.py',
    '../_base_/datasets/shapes_segmentation.py',
    '../_base_/schedules/setr_shapes.py',
    '../_base_/segmentation_runtime.py',
]

model = dict(backbone=_base_.small_pvt)
optim_wrapper = dict(optimizer=dict(lr=5e-4), clip_grad=dict(max_norm=1.0, norm_type=2))
default_hooks = dict(checkpoint=dict(interval=1000), logger=dict(interval=25))
