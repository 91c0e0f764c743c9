"""SETR-MLA on DeiT-S, ADE20K.

Reproduces: nothing published; the recipe names the nearest.
Nearest published: 42.87 (mIoU, UPerNet on DeiT-S, mmsegmentation).
Assumed: blocks 2, 5, 8, 11 (counted from 0), as SETR on DeiT-B. As in SETR-MLA the encoder has
    no class token and no final norm; the neck has one for each map.
Parameters: 27.358 M.
Hardware: 8 GPUs x 2 images, as SETR's.
Weights: ImageNet checkpoint in checkpoints/deit_s.pth.

    python tools/train.py configs/ade20k/setr_mla_deit_s.py
    bash tools/dist_train.sh configs/ade20k/setr_mla_deit_s.py 8
"""

_base_ = '../_base_/recipes/setr_mla_160k_ade20k.py'

model = dict(
    backbone=dict(
        type='vitbackbones.ViT',
        arch='s',
        img_size=512,
        with_cls_token=False,
        final_norm=False,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/deit_s.pth'),
    ),
)
