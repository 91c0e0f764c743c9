"""Aug-ViT-Ti, ImageNet-1k.

Reproduces: Aug-ViT (Tang et al., NeurIPS 2021), Table 2.
Published: nothing, the paper has no model of this size.
Assumed: the recipe of Aug-ViT-S.
Parameters: 5.763 M.
Hardware: 8 GPUs x 128 images.

    bash tools/dist_train.sh configs/imagenet/cls_aug_vit_ti.py 8 --amp
    python tools/train.py configs/imagenet/cls_aug_vit_ti.py
"""

_base_ = '../_base_/recipes/tnt_310e_imagenet.py'

model = dict(
    backbone=dict(type='vitbackbones.AugViT', arch='ti', out_type='cls_token', drop_path_rate=0.1)
)
