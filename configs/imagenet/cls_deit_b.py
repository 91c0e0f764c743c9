"""DeiT-B, ImageNet-1k.

Reproduces: DeiT (Touvron et al., ICML 2021), Table 5.
Published: 81.8 (top-1, ImageNet val).
Parameters: 86.568 M.
Hardware: 8 GPUs x 128 images.

    bash tools/dist_train.sh configs/imagenet/cls_deit_b.py 8 --amp
    python tools/train.py configs/imagenet/cls_deit_b.py
"""

_base_ = '../_base_/recipes/deit_300e_imagenet.py'

model = dict(
    backbone=dict(type='vitbackbones.ViT', arch='b', out_type='cls_token', drop_path_rate=0.1)
)
