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

_base_ = '../_base_/recipes/mask2former_panoptic_50e_coco.py'

model = dict(
    backbone=dict(
        type='vitbackbones.Swin',
        arch='t',
        drop_path_rate=0.3,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/swin_t.pth'),
    ),
    neck=dict(out_channels=None),
)
