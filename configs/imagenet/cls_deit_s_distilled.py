"""DeiT-S with a distillation token, distilled from RegNetY-16GF, ImageNet-1k.

Reproduces: DeiT (Touvron et al., ICML 2021), repository's README.
Published: 81.2 (top-1, ImageNet val).
Parameters: 22.436 M, without the teacher's 83.6 M.
Hardware: 8 GPUs x 128 images.

    bash tools/dist_train.sh configs/imagenet/cls_deit_s_distilled.py 8 --amp
    python tools/train.py configs/imagenet/cls_deit_s_distilled.py
"""

_base_ = '../_base_/recipes/deit_distill_300e_imagenet.py'

model = dict(backbone=dict(type='vitbackbones.ViT', arch='s', drop_path_rate=0.1))
