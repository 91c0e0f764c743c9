"""DINO on SReT-S, COCO, 12 epochs.

Reproduces: nothing; no result of DINO on this backbone was published.
Chosen: stages 1 to 3, strides 8 to 32; the stem and its batch norms are frozen.
Parameters: 40.339 M, 40.023 of them trained.
Hardware: 8 GPUs x 2 images.
Weights: ImageNet checkpoint in checkpoints/sret_s.pth.

    python tools/train.py configs/coco/dino_sret_s.py
    bash tools/dist_train.sh configs/coco/dino_sret_s.py 8
"""

_base_ = '../_base_/recipes/dino_12e_coco.py'

model = dict(
    backbone=dict(
        type='vitbackbones.SReT',
        arch='s',
        frozen_stages=0,
        drop_path_rate=0.2,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/sret_s.pth'),
    )
)
