"""UPerNet on SReT-S, ADE20K.

Reproduces: nothing published; the recipe names the nearest.
Maps: all three; stride 4 is made in the neck from stride 8.
Parameters: 49.437 M.
Hardware: 8 GPUs x 2 images, as Swin's.
Weights: ImageNet checkpoint in checkpoints/sret_s.pth.

    python tools/train.py configs/ade20k/upernet_sret_s.py
    bash tools/dist_train.sh configs/ade20k/upernet_sret_s.py 8
"""

_base_ = '../_base_/recipes/upernet_160k_ade20k.py'

model = dict(
    backbone=dict(
        type='vitbackbones.SReT',
        arch='s',
        frozen_stages=0,
        drop_path_rate=0.2,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/sret_s.pth'),
    )
)
