"""Mask2Former for things and stuff on Swin-T, COCO.

Reproduces: Mask2Former, repository's model zoo.
Published: 53.2 (PQ, COCO val2017; AP of masks 43.3).
Maps: all four, at their own widths; stochastic depth 0.3.
Assumed: as in timm, the last map alone has a final LayerNorm; there each map has one.
Parameters: 47.434 M.
Hardware: 8 GPUs x 2 images, as published.
Weights: ImageNet checkpoint in checkpoints/swin_t.pth.

    python tools/train.py configs/coco/mask2former_panoptic_swin_t.py
    bash tools/dist_train.sh configs/coco/mask2former_panoptic_swin_t.py 8
"""

_base_ = [
    '../_base_/recipes/mask2former_panoptic_50e_coco.py',
    '../_base_/backbones/swin_t.py',
]

model = dict(
    backbone=dict(_base_.backbone, drop_path_rate=0.3),
    neck=dict(**_base_.maps, out_channels=None),
    panoptic_head=dict(in_channels=_base_.maps.in_channels),
)
