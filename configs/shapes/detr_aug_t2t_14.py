"""A small DETR on a small Aug-T2T, Shapes.

The wiring of detr_aug_t2t_14_coco at a size that learns within minutes, stride 16.
Hardware: two CPU cores or any GPU.

    python -m vitbackbones.data.shapes data/shapes
    python tools/train.py configs/shapes/detr_aug_t2t_14.py
"""

_base_ = '../_base_/recipes/detr_18e_shapes.py'

model = dict(
    backbone=dict(
        type='vitbackbones.AugT2T',
        arch=dict(embed_dims=128, depth=4, num_heads=4),
        img_size=128,
    ),
    neck=dict(out_strides=[16]),  # the map as it is
)
