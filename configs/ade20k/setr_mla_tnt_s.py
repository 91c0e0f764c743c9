"""SETR-MLA on TNT-S, ADE20K.

Reproduces: nothing published; the recipe names the nearest.
Assumed: blocks 2, 5, 8, 11 (counted from 0), no final norm, the neck has one for each map. The
    class token stays in the encoder, unlike in SETR-MLA, because every block of TNT has one.
    Mean and std are 127.5, as of the images of its ImageNet weights.
Parameters: 29.077 M.
Hardware: 8 GPUs x 2 images, as SETR's.
Weights: ImageNet checkpoint in checkpoints/tnt_s.pth.

    python tools/train.py configs/ade20k/setr_mla_tnt_s.py
    bash tools/dist_train.sh configs/ade20k/setr_mla_tnt_s.py 8
"""

_base_ = '../_base_/recipes/setr_mla_160k_ade20k.py'

model = dict(
    data_preprocessor=dict(mean=[127.5] * 3, std=[127.5] * 3),  # as the weights' images
    backbone=dict(
        type='vitbackbones.TNT',
        arch='s',
        img_size=512,
        final_norm=False,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/tnt_s.pth'),
    ),
)
