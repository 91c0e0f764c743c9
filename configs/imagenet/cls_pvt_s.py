"""PVT-S, ImageNet-1k.

Reproduces: PVT (Wang et al., ICCV 2021), repository's README.
Published: 79.8 (top-1, ImageNet val).
Parameters: 24.486 M.
Hardware: 8 GPUs x 128 images, as published.

    bash tools/dist_train.sh configs/imagenet/cls_pvt_s.py 8 --amp
    python tools/train.py configs/imagenet/cls_pvt_s.py
"""

_base_ = '../_base_/recipes/pvt_300e_imagenet.py'

model = dict(
    backbone=dict(type='vitbackbones.PVT', arch='s', out_type='cls_token', drop_path_rate=0.1)
)
