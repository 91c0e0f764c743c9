"""ResNet-50, ImageNet-1k.

Reproduces: MSF (Kobayashi, CVPR 2024), Table 6.
Published: 75.97 (top-1, ImageNet val).
Assumed: mmpretrain's network for torchvision's, which the published script trains.
Parameters: 25.557 M.
Hardware: 4 GPUs x 256 images.

    bash tools/dist_train.sh configs/imagenet/cls_resnet50.py 4 --amp
    python tools/train.py configs/imagenet/cls_resnet50.py
"""

_base_ = '../_base_/recipes/msf_100e_imagenet.py'

model = dict(
    backbone=dict(type='ResNet', depth=50, zero_init_residual=False),
    neck=dict(type='GlobalAveragePooling'),
    head=dict(init_cfg=None),
)
