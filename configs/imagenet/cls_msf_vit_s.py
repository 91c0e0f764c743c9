"""MSF ViT-S, ImageNet-1k.

Reproduces: MSF (Kobayashi, CVPR 2024), Table 6, MSF.
Published: 79.79 (top-1, ImageNet val).
Parameters: 23.728 M.
Hardware: 4 GPUs x 256 images, as published.

    bash tools/dist_train.sh configs/imagenet/cls_msf_vit_s.py 4 --amp
    python tools/train.py configs/imagenet/cls_msf_vit_s.py
"""

_base_ = '../_base_/recipes/msf_100e_imagenet.py'

model = dict(
    backbone=dict(type='vitbackbones.MSFViT', arch='s', out_type='pooled'),
    head=dict(init_cfg=None),
)
