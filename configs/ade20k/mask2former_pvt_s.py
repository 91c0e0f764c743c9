"""Mask2Former for semantic segmentation on PVT-Small, ADE20K.

Reproduces: nothing published; the recipe names the nearest.
Maps: all four, at their own widths.
Parameters: 43.783 M.
Hardware: 8 GPUs x 2 images, as Mask2Former's.
Weights: ImageNet checkpoint in checkpoints/pvt_s.pth.

    python tools/train.py configs/ade20k/mask2former_pvt_s.py
    bash tools/dist_train.sh configs/ade20k/mask2former_pvt_s.py 8
"""

_base_ = [
    '../_base_/recipes/mask2former_160k_ade20k.py',
    '../_base_/backbones/pvt_s.py',
]

model = dict(
    backbone=_base_.backbone,
    neck=dict(**_base_.maps, out_channels=None),
    decode_head=dict(in_channels=_base_.maps.in_channels),
)
