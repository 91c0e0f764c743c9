"""A small DETR on a small Aug-PVT, Shapes.

The wiring of detr_aug_pvt_s_coco: stage 4 alone, here 5 x 5 cells.
Hardware: two CPU cores or any GPU.

    python -m vitbackbones.data.shapes data/shapes
    python tools/train.py configs/shapes/detr_aug_pvt_s.py
"""

_base_ = ['../_base_/recipes/detr_18e_shapes.py', '../_base_/models/small_pvt.py']

model = dict(backbone=dict(_base_.small_pvt, type='vitbackbones.AugPVT', out_indices=(3,)))
