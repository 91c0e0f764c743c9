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

_base_ = '../_base_/recipes/mask2former_160k_ade20k.py'

model = dict(
    backbone=dict(
        type='vitbackbones.Swin',
        arch='t',
        drop_path_rate=0.3,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/swin_t.pth'),
    ),
    neck=dict(out_channels=None),
)
