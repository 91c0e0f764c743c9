"""SReT-TL in the recipe that the paper's table prints, ImageNet-1k.

Reproduces: SReT (Shen et al., ECCV 2022), Table 8.
Published: as cls_sret_tl_imagenet; which of the two recipes made that number is not said.
Parameters: 4.988 M.
Hardware: 8 GPUs x 128 images.

    bash tools/dist_train.sh configs/imagenet/cls_sret_tl_table8.py 8 --amp
    python tools/train.py configs/imagenet/cls_sret_tl_table8.py
"""

_base_ = '../_base_/recipes/deit_300e_imagenet.py'

model = dict(
    backbone=dict(type='vitbackbones.SReT', arch='tl', out_type='pooled', drop_path_rate=0.1),
    head=dict(init_cfg=None),
)
