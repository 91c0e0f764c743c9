"""Swin-S, ImageNet-1k.

Reproduces: MSF (Kobayashi, CVPR 2024), Table 6.
Published: 81.25 (top-1, ImageNet val).
Assumed: stochastic depth is torchvision's, whose model the published script trains.
Parameters: 49.606 M.
Hardware: 4 GPUs x 256 images.

    bash tools/dist_train.sh configs/imagenet/cls_swin_s.py 4 --amp
    python tools/train.py configs/imagenet/cls_swin_s.py
"""

_base_ = '../_base_/recipes/msf_100e_imagenet.py'

model = dict(
    backbone=dict(type='vitbackbones.Swin', arch='s', out_type='pooled', drop_path_rate=0.3)
)
