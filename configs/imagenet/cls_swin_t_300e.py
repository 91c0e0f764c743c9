"""Swin-T, 300 epochs, ImageNet-1k.

Reproduces: MSF (Kobayashi, CVPR 2024), Table 6.
Published: 81.69 (top-1, ImageNet val).
Assumed: stochastic depth is torchvision's, whose model the published script trains.
Parameters: 28.288 M.
Hardware: 4 GPUs x 256 images.

    bash tools/dist_train.sh configs/imagenet/cls_swin_t_300e.py 4 --amp
    python tools/train.py configs/imagenet/cls_swin_t_300e.py
"""

_base_ = '../_base_/recipes/msf_300e_imagenet.py'

model = dict(
    backbone=dict(type='vitbackbones.Swin', arch='t', out_type='pooled', drop_path_rate=0.2)
)
