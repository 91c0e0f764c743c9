"""SReT-T with half its blocks, Shapes.

The wiring of cls_sret_t_imagenet, recursion and sliced attention included.
Hardware: two CPU cores or any GPU.

    python -m vitbackbones.data.shapes data/shapes_folders --layout folders --size 64
    python tools/train.py configs/shapes/cls_sret_t.py
"""

_base_ = '../_base_/recipes/classifier_10e_shapes.py'

model = dict(
    backbone=dict(
        type='vitbackbones.SReT',
        arch=dict(
            stem_dims=(32, 64, 64),
            embed_dims=(64, 128, 256),
            num_heads=(2, 4, 8),
            depths=(1, 2, 1),
            passes=2,
            mlp_ratio=3.6,
            nll_ratio=1.0,
        ),
        img_size=64,
        out_type='pooled',
    )
)
