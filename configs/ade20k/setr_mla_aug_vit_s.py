"""SETR-MLA on Aug-ViT-S, ADE20K.

Reproduces: nothing published; the recipe names the nearest.
Assumed: as for DeiT-S, blocks 2, 5, 8, 11 (counted from 0), no class token, no final norm. A
    checkpoint of plain DeiT-S is accepted too: the augmented paths then start untrained.
    Mean and std are 127.5, as of the images of its ImageNet weights (plain DeiT weights saw
    ImageNet's: a run says what to set).
Parameters: 27.450 M.
Hardware: 8 GPUs x 2 images, as SETR's.
Weights: ImageNet checkpoint in checkpoints/aug_vit_s.pth.

    python tools/train.py configs/ade20k/setr_mla_aug_vit_s.py
    bash tools/dist_train.sh configs/ade20k/setr_mla_aug_vit_s.py 8
"""

_base_ = '../_base_/recipes/setr_mla_160k_ade20k.py'

model = dict(
    data_preprocessor=dict(mean=[127.5] * 3, std=[127.5] * 3),  # as the weights' images
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
)
