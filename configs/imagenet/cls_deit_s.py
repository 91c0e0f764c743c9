"""DeiT-S, ImageNet-1k.

Reproduces: DeiT (Touvron et al., ICML 2021), Table 5.
Published: 79.8 (top-1, ImageNet val).
Parameters: 22.051 M.
Hardware: 8 GPUs x 128 images.

    bash tools/dist_train.sh configs/imagenet/cls_deit_s.py 8 --amp
    python tools/train.py configs/imagenet/cls_deit_s.py
"""

_base_ = '../_base_/recipes/deit_300e_imagenet.py'

model = dict(
    backbone=dict(type='vitbackbones.ViT', arch='s', out_type='cls_token', drop_path_rate=0.1)
)
