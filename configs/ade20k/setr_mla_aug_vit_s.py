"""SETR-MLA on Aug-ViT-S, ADE20K.

Reproduces: nothing published; the recipe names the nearest.
Assumed: as for DeiT-S, blocks 2, 5, 8, 11 (counted from 0), no class token, no final norm. A
    checkpoint of plain DeiT-S is accepted too: the augmented paths then start untrained.
    The published ImageNet weights saw mean and std 127.5, not ImageNet's as here: to train with
    those, set model.data_preprocessor.mean and .std to [127.5,127.5,127.5] by --cfg-options.
Parameters: 27.450 M.
Hardware: 8 GPUs x 2 images, as SETR's.
Weights: ImageNet checkpoint in checkpoints/aug_vit_s.pth.

    python tools/train.py configs/ade20k/setr_mla_aug_vit_s.py
    bash tools/dist_train.sh configs/ade20k/setr_mla_aug_vit_s.py 8
"""

_base_ = '../_base_/recipes/setr_mla_160k_ade20k.py'

model = dict(
    backbone=dict(
        type='vitbackbones.AugViT',
        arch='s',
        img_size=512,
        with_cls_token=False,
        final_norm=False,
        init_cfg=dict(
            type='vitbackbones.Pretrained',
            checkpoint='checkpoints/aug_vit_s.pth',
            allow_missing=['*.shortcut_*'],
        ),
    ),
    neck=dict(in_channels=[384, 384, 384, 384]),
)
