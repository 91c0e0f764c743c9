"""SReT-108 of mixed depth, ImageNet-1k.

Reproduces: SReT (Shen et al., ECCV 2022), Figures 8 and 9.
Published: no accuracy; the figure shows the loss around the weights.
Assumed: the recipe of SReT-T; a reading of ours of the layout, of which the paper says 13 to 15 M,
    and of the place where the two branches meet: one loss of their mean. A loss of each is
    model.backbone.mixed_loss=both.
Parameters: 14.161 M.
Hardware: 8 GPUs x 128 images.

    bash tools/dist_train.sh configs/imagenet/cls_sret_108_mixed.py 8 --amp
    python tools/train.py configs/imagenet/cls_sret_108_mixed.py
"""

_base_ = '../_base_/recipes/sret_300e_imagenet.py'

model = dict(
    backbone=dict(
        type='vitbackbones.SReT',
        arch='108',
        mixed_depth=True,
        out_type='pooled',
        drop_path_rate=0.1,
    ),
    head=dict(init_cfg=None),
)
