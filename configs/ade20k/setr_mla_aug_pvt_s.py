"""SETR-MLA on Aug-PVT-Small, ADE20K.

Reproduces: nothing published; the recipe names the nearest, and says how pyramids are read.
A checkpoint of plain PVT-Small is accepted too: the augmented paths then start untrained.
Parameters: 30.941 M.
Hardware: 8 GPUs x 2 images, as SETR's.
Weights: ImageNet checkpoint in checkpoints/aug_pvt_s.pth.

    python tools/train.py configs/ade20k/setr_mla_aug_pvt_s.py
    bash tools/dist_train.sh configs/ade20k/setr_mla_aug_pvt_s.py 8
"""

_base_ = '../_base_/recipes/setr_mla_160k_ade20k.py'

model = dict(
    backbone=dict(
        type='vitbackbones.AugPVT',
        arch='s',
        img_size=512,
        init_cfg=dict(
            type='vitbackbones.Pretrained',
            checkpoint='checkpoints/aug_pvt_s.pth',
            allow_missing=['*.shortcut_*'],
        ),
    ),
)
