"""A small UPerNet on a small PVT, Shapes.

The head of upernet_swin_t_ade20k, on four maps of strides 4 to 32.
Hardware: two CPU cores or any GPU.

    python -m vitbackbones.data.shapes data/shapes
    python tools/train.py configs/shapes/upernet_pvt_s.py
"""

_base_ = [
    '../_base_/models/upernet_small.py',
    '../_base_/datasets/shapes_segmentation.py',
    '../_base_/schedules/setr_shapes.py',
    '../_base_/segmentation_runtime.py',
]

model = dict(
    backbone=dict(
        type='vitbackbones.PVT',
        arch=dict(
            depths=(1, 1, 2, 1),
            embed_dims=(32, 64, 96, 128),
            num_heads=(1, 2, 3, 4),
            mlp_ratios=(4, 4, 4, 4),
            sr_ratios=(8, 4, 2, 1),
        ),
        img_size=128,
    )
)
default_hooks = dict(checkpoint=dict(interval=1000), logger=dict(interval=25))
