"""ResNet-101, ImageNet-1k.

Reproduces: MSF (Kobayashi, CVPR 2024), Table 6.
Published: 78.36 (top-1, ImageNet val).
Assumed: mmpretrain's network for torchvision's, which the published script trains.
Parameters: 44.549 M.
Hardware: 4 GPUs x 256 images.

    bash tools/dist_train.sh configs/imagenet/cls_resnet101.py 4 --amp
    python tools/train.py configs/imagenet/cls_resnet101.py
"""

_base_ = '../_base_/recipes/msf_100e_imagenet.py'

model = dict(
    backbone=dict(type='ResNet', depth=101, zero_init_residual=False),
    neck=dict(type='GlobalAveragePooling'),
    head=dict(init_cfg=None),
)
