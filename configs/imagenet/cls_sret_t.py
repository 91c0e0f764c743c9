"""SReT-T, ImageNet-1k.

Reproduces: SReT (Shen et al., ECCV 2022), repository's README.
Published: 76.0 (top-1, ImageNet val).
Parameters: 4.756 M.
Hardware: 8 GPUs x 128 images.

    bash tools/dist_train.sh configs/imagenet/cls_sret_t.py 8 --amp
    python tools/train.py configs/imagenet/cls_sret_t.py
"""

_base_ = '../_base_/recipes/sret_300e_imagenet.py'

model = dict(
    backbone=dict(type='vitbackbones.SReT', arch='t', out_type='pooled', drop_path_rate=0.1),
    head=dict(init_cfg=None),
)
