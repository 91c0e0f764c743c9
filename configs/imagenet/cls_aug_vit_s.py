"""Aug-ViT-S, ImageNet-1k.

Reproduces: Aug-ViT (Tang et al., NeurIPS 2021), Table 2.
Published: 80.9 (top-1, ImageNet val).
Parameters: 22.143 M.
Hardware: 8 GPUs x 128 images, as published.

    bash tools/dist_train.sh configs/imagenet/cls_aug_vit_s.py 8 --amp
    python tools/train.py configs/imagenet/cls_aug_vit_s.py
"""

_base_ = '../_base_/recipes/tnt_310e_imagenet.py'

model = dict(
    backbone=dict(type='vitbackbones.AugViT', arch='s', out_type='cls_token', drop_path_rate=0.1)
)
