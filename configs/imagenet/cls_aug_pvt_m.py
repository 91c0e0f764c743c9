"""Aug-PVT-M, ImageNet-1k.

Reproduces: Aug-ViT (Tang et al., NeurIPS 2021), Table 2.
Published: 82.3 (top-1, ImageNet val).
Its own: stochastic depth 0.3, gradients clipped at 1.
Assumed: the recipe of the host network; the paper names DeiT's settings only.
Parameters: 44.368 M.
Hardware: 8 GPUs x 128 images.

    bash tools/dist_train.sh configs/imagenet/cls_aug_pvt_m.py 8 --amp
    python tools/train.py configs/imagenet/cls_aug_pvt_m.py
"""

_base_ = '../_base_/recipes/pvt_300e_imagenet.py'

model = dict(
    backbone=dict(type='vitbackbones.AugPVT', arch='m', out_type='cls_token', drop_path_rate=0.3)
)
optim_wrapper = dict(clip_grad=dict(max_norm=1.0))
