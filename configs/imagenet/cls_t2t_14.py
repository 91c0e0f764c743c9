"""T2T-ViT-14, ImageNet-1k.

Reproduces: T2T-ViT (Yuan et al., ICCV 2021), Table 3.
Published: 81.5 (top-1, ImageNet val).
Parameters: 21.546 M.
Hardware: 8 GPUs x 64 images, as published.

    bash tools/dist_train.sh configs/imagenet/cls_t2t_14.py 8 --amp
    python tools/train.py configs/imagenet/cls_t2t_14.py
"""

_base_ = '../_base_/recipes/t2t_310e_imagenet.py'

model = dict(
    backbone=dict(type='vitbackbones.T2T', arch='14', out_type='cls_token', drop_path_rate=0.1)
)
