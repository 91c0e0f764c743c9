"""A small DETR on a small plain ViT, Shapes.

The wiring of detr_deit_s_coco, as a baseline for detr_aug_vit_s_shapes with --scratch.
Hardware: two CPU cores or any GPU.

    python -m vitbackbones.data.shapes data/shapes
    python tools/train.py configs/shapes/detr_deit_s.py
"""

_base_ = '../_base_/recipes/detr_18e_shapes.py'

model = dict(
    backbone=dict(
        type='vitbackbones.ViT',
        arch=dict(embed_dims=128, depth=4, num_heads=4),
        img_size=128,
    ),
    neck=dict(out_strides=[16]),  # the map as it is
)
