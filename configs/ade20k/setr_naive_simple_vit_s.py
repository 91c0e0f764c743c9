"""SETR-Naive on SimpleViT-S, ADE20K.

Compares with: MSF (Kobayashi, CVPR 2024), Table 7, ViT-S. Its head is not named.
Nearest published: 41.81 (mIoU, ADE20K val), with a head taken to be MLA.
Assumed, as neither code nor settings were published: blocks 2, 5, 8, 11 (counted from 0), SETR's
    160k schedule. Maps are the residual stream without a norm, every head has its own.
Parameters: 22.126 M.
Hardware: 8 GPUs x 2 images, as SETR's.
Weights: ImageNet checkpoint in checkpoints/simple_vit_s.pth; whether of 100 or of 300 epochs is
    not published.

    python tools/train.py configs/ade20k/setr_naive_simple_vit_s.py
    bash tools/dist_train.sh configs/ade20k/setr_naive_simple_vit_s.py 8
"""

_base_ = '../_base_/recipes/setr_naive_160k_ade20k.py'

model = dict(
    backbone=dict(
        type='vitbackbones.SimpleViT',
        arch='s',
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/simple_vit_s.pth'),
    ),
)
