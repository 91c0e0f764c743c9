"""SETR-PUP on MSF-ViT-S, ADE20K.

Compares with: MSF (Kobayashi, CVPR 2024), Table 7, MSF. Its head is not named.
Nearest published: 44.01, with groups=2 43.50 (mIoU, ADE20K val), with a head taken to be MLA.
Assumed, as neither code nor settings were published: blocks 4, 7, 9, 11 (counted from 0), SETR's
    160k schedule. Maps are the residual stream without a norm, every head has its own.
Parameters: 29.738 M.
Hardware: 8 GPUs x 2 images, as SETR's.
Weights: ImageNet checkpoint in checkpoints/msf_vit_s.pth; whether of 100 or of 300 epochs is
    not published.

    python tools/train.py configs/ade20k/setr_pup_msf_vit_s.py
    bash tools/dist_train.sh configs/ade20k/setr_pup_msf_vit_s.py 8
"""

_base_ = '../_base_/recipes/setr_pup_160k_ade20k.py'

model = dict(
    backbone=dict(
        type='vitbackbones.MSFViT',
        arch='s',
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/msf_vit_s.pth'),
    ),
)
