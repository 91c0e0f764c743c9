"""SETR-MLA on Aug-T2T-14, ADE20K.

Reproduces: nothing published; the recipe names the nearest.
Assumed: blocks 2, 6, 9, 13 (counted from 0), the quarters of 14; no class token, no final norm.
    A checkpoint of plain T2T-ViT-14 is accepted too: the augmented paths then start untrained.
Parameters: 26.961 M.
Hardware: 8 GPUs x 2 images, as SETR's.
Weights: ImageNet checkpoint in checkpoints/aug_t2t_14.pth.

    python tools/train.py configs/ade20k/setr_mla_aug_t2t_14.py
    bash tools/dist_train.sh configs/ade20k/setr_mla_aug_t2t_14.py 8
"""

_base_ = '../_base_/recipes/setr_mla_160k_ade20k.py'

model = dict(
    backbone=dict(
        type='vitbackbones.AugT2T',
        arch='14',
        img_size=512,
        with_cls_token=False,
        final_norm=False,
        init_cfg=dict(
            type='vitbackbones.Pretrained',
            checkpoint='checkpoints/aug_t2t_14.pth',
            allow_missing=['*.shortcut_*'],
        ),
    ),
)
