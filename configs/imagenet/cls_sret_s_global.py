"""SReT-S with global attention, ImageNet-1k.

Reproduces: SReT (Shen et al., ECCV 2022), repository's README.
Published: 82.0 (top-1, ImageNet val).
Parameters: 20.900 M.
Hardware: 8 GPUs x 64 images.

    bash tools/dist_train.sh configs/imagenet/cls_sret_s_global.py 8 --amp
    python tools/train.py configs/imagenet/cls_sret_s_global.py
"""

_base_ = '../_base_/recipes/sret_s_300e_imagenet.py'

model = dict(
    backbone=dict(
        type='vitbackbones.SReT', arch='s', groups=None, out_type='pooled', drop_path_rate=0.2
    ),
    head=dict(init_cfg=None),
)
