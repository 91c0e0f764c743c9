"""Mask2Former for semantic segmentation on Swin-T, ADE20K.

Reproduces: Mask2Former, repository's model zoo.
Published: 47.7 / 49.6 (mIoU, one scale / several with flips).
Maps: all four, at their own widths; stochastic depth 0.3.
Assumed: as in timm, the last map alone has a final LayerNorm; there each map has one.
Parameters: 47.438 M.
Hardware: 8 GPUs x 2 images, as published.
Weights: ImageNet checkpoint in checkpoints/swin_t.pth.

    python tools/train.py configs/ade20k/mask2former_swin_t.py
    bash tools/dist_train.sh configs/ade20k/mask2former_swin_t.py 8
"""

_base_ = [
    '../_base_/recipes/mask2former_160k_ade20k.py',
    '../_base_/backbones/swin_t.py',
]

model = dict(
    backbone=dict(_base_.backbone, drop_path_rate=0.3),
    neck=dict(**_base_.maps, out_channels=None),
    decode_head=dict(in_channels=_base_.maps.in_channels),
)
