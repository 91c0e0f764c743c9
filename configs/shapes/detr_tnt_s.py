"""A small DETR on a small TNT, Shapes.

The wiring of detr_tnt_s_coco at a size that learns within minutes, stride 16.
Hardware: two CPU cores or any GPU.

    python -m vitbackbones.data.shapes data/shapes
    python tools/train.py configs/shapes/detr_tnt_s.py
"""

_base_ = '../_base_/recipes/detr_18e_shapes.py'

model = dict(
    backbone=dict(
        type='vitbackbones.TNT',
        arch=dict(embed_dims=128, depth=4, num_heads=4, inner_dims=12, inner_heads=2),
        img_size=128,
    ),
    neck=dict(out_strides=[16]),  # the map as it is
)
