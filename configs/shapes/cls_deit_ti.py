"""A small plain ViT, Shapes.

The wiring of cls_deit_ti_imagenet at a size that learns within minutes.
Hardware: two CPU cores or any GPU.

    python -m vitbackbones.data.shapes data/shapes_folders --layout folders --size 64
    python tools/train.py configs/shapes/cls_deit_ti.py
"""

_base_ = '../_base_/recipes/classifier_10e_shapes.py'

model = dict(
    backbone=dict(
        type='vitbackbones.ViT',
        arch=dict(embed_dims=96, depth=4, num_heads=3),
        img_size=64,
        patch_size=8,
        out_type='cls_token',
    )
)
