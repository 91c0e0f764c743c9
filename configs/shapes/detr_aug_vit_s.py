"""A small DETR on a small Aug-ViT, Shapes: what `make demo` trains.

The wiring of detr_aug_vit_s_coco at a size that learns within minutes.
Measured: AP 0.675, AP50 0.962 on val of Shapes, one run on one thread; with --scratch AP 0.49 to
    0.52, AP50 0.74 to 0.76.
Weights: aug_vit_small, in the package; --scratch starts from random weights.
Hardware: two CPU cores or any GPU.

    python -m vitbackbones.data.shapes data/shapes
    python tools/train.py configs/shapes/detr_aug_vit_s.py
"""

_base_ = '../_base_/recipes/detr_18e_shapes.py'

model = dict(
    backbone=dict(
        type='vitbackbones.AugViT',
        arch=dict(embed_dims=128, depth=4, num_heads=4),
        img_size=128,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='aug_vit_small'),
    ),
    neck=dict(out_strides=[16]),  # the map as it is
)
