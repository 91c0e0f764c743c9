"""A small Deformable DETR on a small PVT, Shapes.

The wiring of deformable_detr_pvt_s_coco at a size that learns within minutes.
Hardware: two CPU cores or any GPU.

    python -m vitbackbones.data.shapes data/shapes
    python tools/train.py configs/shapes/deformable_detr_pvt_s.py
"""

_base_ = '../_base_/recipes/deformable_detr_18e_shapes.py'

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
