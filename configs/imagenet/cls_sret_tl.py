"""SReT-TL, ImageNet-1k.

Reproduces: SReT (Shen et al., ECCV 2022), repository's README.
Published: 76.7, with groups=((16,1),(14,1),(1,1)) 76.6 (top-1, ImageNet val).
Parameters: 4.988 M.
Hardware: 8 GPUs x 128 images.

    bash tools/dist_train.sh configs/imagenet/cls_sret_tl.py 8 --amp
    python tools/train.py configs/imagenet/cls_sret_tl.py
"""

_base_ = '../_base_/recipes/sret_300e_imagenet.py'

model = dict(
    backbone=dict(type='vitbackbones.SReT', arch='tl', out_type='pooled', drop_path_rate=0.1),
    head=dict(init_cfg=None),
)
