"""Aug-T2T-ViT-14, ImageNet-1k.

Reproduces: Aug-ViT (Tang et al., NeurIPS 2021), Table 2.
Published: 82.1 (top-1, ImageNet val).
Assumed: the recipe of the host network; the paper names DeiT's settings only.
Parameters: 21.653 M.
Hardware: 8 GPUs x 64 images.

    bash tools/dist_train.sh configs/imagenet/cls_aug_t2t_14.py 8 --amp
    python tools/train.py configs/imagenet/cls_aug_t2t_14.py
"""

_base_ = '../_base_/recipes/t2t_310e_imagenet.py'

model = dict(
    backbone=dict(type='vitbackbones.AugT2T', arch='14', out_type='cls_token', drop_path_rate=0.1)
)
