"""A small DETR on a small SReT, Shapes.

The wiring of detr_sret_s_coco with two stages: the last alone, here of stride 16.
Hardware: two CPU cores or any GPU.

    python -m vitbackbones.data.shapes data/shapes
    python tools/train.py configs/shapes/detr_sret_s.py
"""

_base_ = '../_base_/recipes/detr_18e_shapes.py'

model = dict(
    backbone=dict(
        type='vitbackbones.SReT',
        arch=dict(
            stem_dims=(32, 64, 64),
            embed_dims=(64, 128),
            num_heads=(2, 4),
            depths=(1, 2),
            passes=2,
            mlp_ratio=3.0,
            nll_ratio=1.0,
        ),
        img_size=128,
        groups=((8, 2), (4, 1)),
        out_indices=(1,),
    ),
    neck=dict(out_strides=[16]),  # the map as it is
)
