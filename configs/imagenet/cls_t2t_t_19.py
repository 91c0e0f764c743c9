"""T2T-ViT_t-19, ImageNet-1k.

Reproduces: T2T-ViT (Yuan et al., ICCV 2021), repository's README (Table 3: 82.2).
Published: 82.4 (top-1, ImageNet val).
Its own: decay 0.065.
Parameters: 39.173 M.
Hardware: 8 GPUs x 64 images, as published.

    bash tools/dist_train.sh configs/imagenet/cls_t2t_t_19.py 8 --amp
    python tools/train.py configs/imagenet/cls_t2t_t_19.py
"""

_base_ = '../_base_/recipes/t2t_310e_imagenet.py'

model = dict(
    backbone=dict(
        type='vitbackbones.T2T',
        arch='19',
        tokens='transformer',
        out_type='cls_token',
        drop_path_rate=0.1,
    )
)
optim_wrapper = dict(optimizer=dict(weight_decay=0.065))
