"""SETR-MLA on TNT-S, ADE20K.

Reproduces: nothing published; the recipe names the nearest.
Assumed: blocks 2, 5, 8, 11 (counted from 0), no final norm, the neck has one for each map. The
    class token stays in the encoder, unlike in SETR-MLA, because every block of TNT has one.
    The published ImageNet weights saw mean and std 127.5, not ImageNet's as here: to train with
    those, set model.data_preprocessor.mean and .std to [127.5,127.5,127.5] by --cfg-options.
Parameters: 29.077 M.
Hardware: 8 GPUs x 2 images, as SETR's.
Weights: ImageNet checkpoint in checkpoints/tnt_s.pth.

    python tools/train.py configs/ade20k/setr_mla_tnt_s.py
    bash tools/dist_train.sh configs/ade20k/setr_mla_tnt_s.py 8
"""

_base_ = '../_base_/recipes/setr_mla_160k_ade20k.py'

model = dict(
    backbone=dict(
        type='vitbackbones.TNT',
        arch='s',
        img_size=512,
        final_norm=False,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/tnt_s.pth'),
    ),
    neck=dict(in_channels=[384, 384, 384, 384]),
)
