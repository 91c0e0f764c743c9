"""Semantic FPN on PVT-Tiny, ADE20K.

Reproduces: PVT, repository's README, fpn_pvt_t_ade20k_40k.
Published: 36.6 (mIoU, one scale; the paper has 35.7, see the recipe).
Parameters: 16.981 M.
Hardware: 8 GPUs x 4 images, as published.
Weights: ImageNet checkpoint in checkpoints/pvt_t.pth.

    python tools/train.py configs/ade20k/semantic_fpn_pvt_t.py
    bash tools/dist_train.sh configs/ade20k/semantic_fpn_pvt_t.py 8
"""

_base_ = '../_base_/recipes/semantic_fpn_40k_ade20k.py'

model = dict(
    backbone=dict(
        type='vitbackbones.PVT',
        arch='t',
        drop_path_rate=0.1,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/pvt_t.pth'),
    )
)
