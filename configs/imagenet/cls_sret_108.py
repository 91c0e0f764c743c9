"""SReT-108, ImageNet-1k.

Reproduces: SReT (Shen et al., ECCV 2022), Figure 9.
Published: no accuracy; the figure shows the loss around the weights.
Assumed: the recipe of SReT-T; a reading of ours of the layout, of which the paper says 13 to 15 M.
Parameters: 14.161 M.
Hardware: 8 GPUs x 128 images.

    bash tools/dist_train.sh configs/imagenet/cls_sret_108.py 8 --amp
    python tools/train.py configs/imagenet/cls_sret_108.py
"""

_base_ = '../_base_/recipes/sret_300e_imagenet.py'

model = dict(
    backbone=dict(type='vitbackbones.SReT', arch='108', out_type='pooled', drop_path_rate=0.1),
    head=dict(init_cfg=None),
)
