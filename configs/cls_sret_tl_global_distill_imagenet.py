"""SReT-TL with global attention distilled from RegNetY-16GF, ImageNet-1k.

Reproduces: SReT (Shen et al., ECCV 2022), repository's README.
Published: 77.9 (top-1, ImageNet val).
Protocol, assumptions and teacher: see cls_sret_t_distill_imagenet; stochastic depth 0.1.
Parameters: 4.988 M, without the teacher's 83.6 M.
Hardware: 8 GPUs x 128 images.

    bash tools/dist_train.sh configs/cls_sret_tl_global_distill_imagenet.py 8 --amp
    python tools/train.py configs/cls_sret_tl_global_distill_imagenet.py
"""

_base_ = ['cls_sret_t_distill_imagenet.py']

model = dict(backbone=dict(arch='tl', groups=None))
