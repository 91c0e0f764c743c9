"""A small DETR on a small MSF-Swin, Shapes.

The wiring of detr_msf_swin_t_coco with three stages: the last alone, here of stride 16.
Hardware: two CPU cores or any GPU.

    python -m vitbackbones.data.shapes data/shapes
    python tools/train.py configs/shapes/detr_msf_swin_t.py
"""

_base_ = '../_base_/recipes/detr_18e_shapes.py'

model = dict(
    backbone=dict(
        type='vitbackbones.MSFSwin',
        arch=dict(embed_dims=32, depths=(2, 2, 2), num_heads=(1, 2, 4)),
        img_size=128,
        window=4,
        out_indices=(2,),
    ),
    neck=dict(out_strides=[16]),  # the map as it is
)
