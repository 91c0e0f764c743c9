"""Aug-PVT-S, ImageNet-1k.

Reproduces: Aug-ViT (Tang et al., NeurIPS 2021), Table 2.
Published: 80.5 (top-1, ImageNet val).
Assumed: the recipe of the host network; the paper names DeiT's settings only.
Parameters: 24.569 M.
Hardware: 8 GPUs x 128 images.

    bash tools/dist_train.sh configs/imagenet/cls_aug_pvt_s.py 8 --amp
    python tools/train.py configs/imagenet/cls_aug_pvt_s.py
"""

_base_ = '../_base_/recipes/pvt_300e_imagenet.py'

model = dict(
    backbone=dict(type='vitbackbones.AugPVT', arch='s', out_type='cls_token', drop_path_rate=0.1)
)
