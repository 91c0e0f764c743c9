"""Semantic FPN on PVT-Small, ADE20K.

Reproduces: PVT, repository's README, fpn_pvt_s_ade20k_40k.
Published: 41.9 (mIoU, one scale; the paper has 39.8, see the recipe).
Parameters: 28.237 M.
Hardware: 8 GPUs x 4 images, as published.
Weights: ImageNet checkpoint in checkpoints/pvt_s.pth.

    python tools/train.py configs/ade20k/semantic_fpn_pvt_s.py
    bash tools/dist_train.sh configs/ade20k/semantic_fpn_pvt_s.py 8
"""

_base_ = '../_base_/recipes/semantic_fpn_40k_ade20k.py'

model = dict(
    backbone=dict(
        type='vitbackbones.PVT',
        arch='s',
        drop_path_rate=0.1,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/pvt_s.pth'),
    )
)
