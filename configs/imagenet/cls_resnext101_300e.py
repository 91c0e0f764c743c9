"""ResNeXt-101 (32x8d), 300 epochs, ImageNet-1k.

Reproduces: MSF (Kobayashi, CVPR 2024), Table 6.
Published: 81.71 (top-1, ImageNet val).
Assumed: mmpretrain's network for torchvision's, which the published script trains.
Parameters: 88.791 M.
Hardware: 4 GPUs x 256 images.

    bash tools/dist_train.sh configs/imagenet/cls_resnext101_300e.py 4 --amp
    python tools/train.py configs/imagenet/cls_resnext101_300e.py
"""

_base_ = '../_base_/recipes/msf_300e_imagenet.py'

model = dict(
    backbone=dict(type='ResNeXt', depth=101, width_per_group=8, zero_init_residual=False),
    neck=dict(type='GlobalAveragePooling'),
    head=dict(init_cfg=None),
)
