"""A small DETR on a small Aug-PVT, Shapes.

The wiring of detr_aug_pvt_s_coco: stage 4 alone, here 5 x 5 cells.
Hardware: two CPU cores or any GPU.

    python -m vitbackbones.data.shapes data/shapes
    python tools/train.py configs/shapes/detr_aug_pvt_s.py
"""

_base_ = '../_base_/recipes/detr_18e_shapes.py'

model = dict(
    backbone=dict(
        type='vitbackbones.AugPVT',
        arch=dict(
            depths=(1, 1, 2, 1),
            embed_dims=(32, 64, 96, 128),
            num_heads=(1, 2, 3, 4),
            mlp_ratios=(4, 4, 4, 4),
            sr_ratios=(8, 4, 2, 1),
        ),
        img_size=128,
        out_indices=(3,),
    ),
)
