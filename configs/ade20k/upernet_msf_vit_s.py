"""UPerNet on MSF-ViT-S, ADE20K.

Reproduces: nothing published; the recipe names the nearest.
Maps: of blocks 3, 6, 9 and 12, brought to strides 4, 8, 16 and 32 in the neck.
Parameters: 53.047 M.
Hardware: 8 GPUs x 2 images, as Swin's.
Weights: ImageNet checkpoint in checkpoints/msf_vit_s.pth.

    python tools/train.py configs/ade20k/upernet_msf_vit_s.py
    bash tools/dist_train.sh configs/ade20k/upernet_msf_vit_s.py 8
"""

_base_ = '../_base_/recipes/upernet_160k_ade20k.py'

model = dict(
    backbone=dict(
        type='vitbackbones.MSFViT',
        arch='s',
        out_indices=(2, 5, 8, 11),
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/msf_vit_s.pth'),
    )
)
