"""Simple ViT-S, 300 epochs, ImageNet-1k.

Reproduces: MSF (Kobayashi, CVPR 2024), Table 6.
Published: 80.98 (top-1, ImageNet val).
Parameters: 21.959 M.
Hardware: 4 GPUs x 256 images.

    bash tools/dist_train.sh configs/imagenet/cls_simple_vit_s_300e.py 4 --amp
    python tools/train.py configs/imagenet/cls_simple_vit_s_300e.py
"""

_base_ = '../_base_/recipes/msf_300e_imagenet.py'

model = dict(
    backbone=dict(type='vitbackbones.SimpleViT', arch='s', out_type='pooled'),
    head=dict(init_cfg=None),
)
