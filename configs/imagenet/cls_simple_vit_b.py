"""Simple ViT-B, ImageNet-1k.

Reproduces: MSF (Kobayashi, CVPR 2024), Table 6.
Published: 81.47 (top-1, ImageNet val).
Parameters: 86.382 M.
Hardware: 4 GPUs x 256 images.

    bash tools/dist_train.sh configs/imagenet/cls_simple_vit_b.py 4 --amp
    python tools/train.py configs/imagenet/cls_simple_vit_b.py
"""

_base_ = '../_base_/recipes/msf_100e_imagenet.py'

model = dict(
    backbone=dict(type='vitbackbones.SimpleViT', arch='b', out_type='pooled'),
    head=dict(init_cfg=None),
)
