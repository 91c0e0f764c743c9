"""UPerNet on Aug-PVT-S, ADE20K.

Reproduces: nothing published; the recipe names the nearest.
Maps: all four, at their own widths.
Parameters: 54.542 M.
Hardware: 8 GPUs x 2 images, as Swin's.
Weights: ImageNet checkpoint in checkpoints/aug_pvt_s.pth.

    python tools/train.py configs/ade20k/upernet_aug_pvt_s.py
    bash tools/dist_train.sh configs/ade20k/upernet_aug_pvt_s.py 8
"""

_base_ = '../_base_/recipes/upernet_160k_ade20k.py'

model = dict(
    backbone=dict(
        type='vitbackbones.AugPVT',
        arch='s',
        drop_path_rate=0.1,
        init_cfg=dict(
            type='vitbackbones.Pretrained',
            checkpoint='checkpoints/aug_pvt_s.pth',
            allow_missing=['*.shortcut_*'],
        ),
    ),
    neck=dict(out_channels=None),
)
