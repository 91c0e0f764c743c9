"""SReT-ExT, ImageNet-1k.

Reproduces: SReT (Shen et al., ECCV 2022), Table 4.
Published: 74.0 (top-1, ImageNet val).
Assumed: a reading of ours of the layout, which the paper does not determine: with this one
    parameters and operations are the printed ones. The recipe of SReT-T.
Parameters: 4.012 M.
Hardware: 8 GPUs x 128 images.

    bash tools/dist_train.sh configs/imagenet/cls_sret_ext.py 8 --amp
    python tools/train.py configs/imagenet/cls_sret_ext.py
"""

_base_ = '../_base_/recipes/sret_300e_imagenet.py'

model = dict(
    backbone=dict(type='vitbackbones.SReT', arch='ext', out_type='pooled', drop_path_rate=0.1),
    head=dict(init_cfg=None),
)
