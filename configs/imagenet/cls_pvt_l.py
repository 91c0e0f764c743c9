"""PVT-L, ImageNet-1k.

Reproduces: PVT (Wang et al., ICCV 2021), repository's README.
Published: 81.7 (top-1, ImageNet val).
Its own: stochastic depth 0.3, gradients clipped at 1.
Parameters: 61.369 M.
Hardware: 8 GPUs x 128 images, as published.

    bash tools/dist_train.sh configs/imagenet/cls_pvt_l.py 8 --amp
    python tools/train.py configs/imagenet/cls_pvt_l.py
"""

_base_ = '../_base_/recipes/pvt_300e_imagenet.py'

model = dict(
    backbone=dict(type='vitbackbones.PVT', arch='l', out_type='cls_token', drop_path_rate=0.3)
)
optim_wrapper = dict(clip_grad=dict(max_norm=1.0))
