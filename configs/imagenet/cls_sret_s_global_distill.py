"""SReT-S with global attention distilled from RegNetY-16GF, ImageNet-1k.

Reproduces: SReT (Shen et al., ECCV 2022), Table 5 (no weights released).
Published: 82.8 (top-1, ImageNet val).
Its own: stochastic depth 0.2.
Parameters: 20.900 M, without the teacher's 83.6 M.
Hardware: 8 GPUs x 128 images.

    bash tools/dist_train.sh configs/imagenet/cls_sret_s_global_distill.py 8 --amp
    python tools/train.py configs/imagenet/cls_sret_s_global_distill.py
"""

_base_ = '../_base_/recipes/sret_distill_300e_imagenet.py'

model = dict(
    backbone=dict(
        type='vitbackbones.SReT', arch='s', groups=None, out_type='pooled', drop_path_rate=0.2
    )
)
