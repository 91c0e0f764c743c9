"""EfficientNet-B0, 300 epochs, ImageNet-1k.

Reproduces: MSF (Kobayashi, CVPR 2024), Table 6.
Published: 76.04 (top-1, ImageNet val).
Assumed: mmpretrain's network for torchvision's, which the published script trains, with its
    stochastic depth of 0.2; not its dropout of 0.2 before the classifier.
Parameters: 5.289 M.
Hardware: 4 GPUs x 256 images.

    bash tools/dist_train.sh configs/imagenet/cls_efficientnet_b0_300e.py 4 --amp
    python tools/train.py configs/imagenet/cls_efficientnet_b0_300e.py
"""

_base_ = '../_base_/recipes/msf_300e_imagenet.py'

model = dict(
    backbone=dict(
        type='EfficientNet',
        arch='b0',
        drop_path_rate=0.2,
        conv_cfg=None,
        norm_cfg=dict(type='BN'),
    ),
    neck=dict(type='GlobalAveragePooling'),
    head=dict(init_cfg=None),
)
