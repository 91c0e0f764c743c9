"""ResNeXt-50 (32x4d), 300 epochs, ImageNet-1k.

Reproduces: MSF (Kobayashi, CVPR 2024), Table 6.
Published: 80.11 (top-1, ImageNet val).
Assumed: mmpretrain's network for torchvision's, which the published script trains.
Parameters: 25.029 M.
Hardware: 4 GPUs x 256 images.

    bash tools/dist_train.sh configs/imagenet/cls_resnext50_300e.py 4 --amp
    python tools/train.py configs/imagenet/cls_resnext50_300e.py
"""

_base_ = '../_base_/recipes/msf_300e_imagenet.py'

model = dict(
    backbone=dict(type='ResNeXt', depth=50, zero_init_residual=False),
    neck=dict(type='GlobalAveragePooling'),
    head=dict(init_cfg=None),
)
