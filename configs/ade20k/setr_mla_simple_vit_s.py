"""SETR-MLA on SimpleViT-S, ADE20K.

Reproduces: MSF (Kobayashi, CVPR 2024), Table 7, ViT-S.
Published: 41.81 (mIoU, single scale presumably, ADE20K val).
Assumed, as neither code nor settings were published: SETR-MLA, which fits "exploits multiple
    feature maps", on blocks 2, 5, 8, 11 (counted from 0), and the 160k schedule of SETR.
    Maps are the residual stream without a norm, the neck has one for each map.
Parameters: 26.949 M.
Hardware: 8 GPUs x 2 images, as SETR's.
Weights: ImageNet checkpoint in checkpoints/simple_vit_s.pth; whether of 100 or of 300 epochs is
    not published.

    python tools/train.py configs/ade20k/setr_mla_simple_vit_s.py
    bash tools/dist_train.sh configs/ade20k/setr_mla_simple_vit_s.py 8
"""

_base_ = '../_base_/recipes/setr_mla_160k_ade20k.py'

model = dict(
    backbone=dict(
        type='vitbackbones.SimpleViT',
        arch='s',
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/simple_vit_s.pth'),
    ),
)
