"""SETR-MLA on SReT-S, ADE20K.

Reproduces: nothing published; the recipe names the nearest, and says how pyramids are read.
Three levels instead of four: SReT has three stages.
Parameters: 24.773 M.
Hardware: 8 GPUs x 2 images, as SETR's.
Weights: ImageNet checkpoint in checkpoints/sret_s.pth.

    python tools/train.py configs/ade20k/setr_mla_sret_s.py
    bash tools/dist_train.sh configs/ade20k/setr_mla_sret_s.py 8
"""

_base_ = '../_base_/recipes/setr_mla_160k_ade20k.py'

model = dict(
    backbone=dict(
        type='vitbackbones.SReT',
        arch='s',
        img_size=512,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/sret_s.pth'),
    ),
)
