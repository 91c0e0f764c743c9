"""UPerNet on Aug-PVT-S, ADE20K.

Reproduces: nothing published; the recipe names the nearest.
Maps: all four, at their own widths.
Parameters: 54.542 M.
Hardware: 8 GPUs x 2 images, as Swin's.
Weights: ImageNet checkpoint in checkpoints/aug_pvt_s.pth.

    python tools/train.py configs/ade20k/upernet_aug_pvt_s.py
    bash tools/dist_train.sh configs/ade20k/upernet_aug_pvt_s.py 8
"""

_base_ = [
    '../_base_/recipes/upernet_160k_ade20k.py',
    '../_base_/backbones/aug_pvt_s.py',
]

widths = _base_.maps.in_channels
model = dict(
    backbone=_base_.backbone,
    neck=dict(**_base_.maps, out_channels=None),
    decode_head=dict(in_channels=widths),
    auxiliary_head=dict(in_channels=widths[2]),
)
