"""T2T-ViT_t-14, ImageNet-1k.

Reproduces: T2T-ViT (Yuan et al., ICCV 2021), Table 3.
Published: 81.7 (top-1, ImageNet val).
Published: 80.7, by SReT, Table 5, of an earlier version.
Parameters: 21.541 M.
Hardware: 8 GPUs x 64 images, as published.

    bash tools/dist_train.sh configs/imagenet/cls_t2t_t_14.py 8 --amp
    python tools/train.py configs/imagenet/cls_t2t_t_14.py
"""

_base_ = '../_base_/recipes/t2t_310e_imagenet.py'

model = dict(
    backbone=dict(
        type='vitbackbones.T2T',
        arch='14',
        tokens='transformer',
        out_type='cls_token',
        drop_path_rate=0.1,
    )
)
