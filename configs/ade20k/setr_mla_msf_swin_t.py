"""SETR-MLA on MSF-Swin-T, ADE20K.

Reproduces: nothing published; the recipe names the nearest, and says how pyramids are read.
Parameters: 35.032 M.
Hardware: 8 GPUs x 2 images, as SETR's.
Weights: ImageNet checkpoint in checkpoints/msf_swin_t.pth.

    python tools/train.py configs/ade20k/setr_mla_msf_swin_t.py
    bash tools/dist_train.sh configs/ade20k/setr_mla_msf_swin_t.py 8
"""

_base_ = '../_base_/recipes/setr_mla_160k_ade20k.py'

model = dict(
    backbone=dict(
        type='vitbackbones.MSFSwin',
        arch='t',
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/msf_swin_t.pth'),
    ),
)
