"""A small DETR on a narrow ResNet-50, Shapes.

The wiring of detr_r50_coco with a quarter of the channels and nothing frozen.
Hardware: two CPU cores or any GPU.

    python -m vitbackbones.data.shapes data/shapes
    python tools/train.py configs/shapes/detr_r50.py
"""

_base_ = '../_base_/recipes/detr_18e_shapes.py'

model = dict(
    backbone=dict(
        type='ResNet',
        depth=50,
        base_channels=16,
        num_stages=4,
        out_indices=(3,),
        style='pytorch',
    ),
)
