"""DINO on Aug-PVT-Small, COCO, 12 epochs.

Reproduces: nothing; no result of DINO on this backbone was published.
Chosen: stages 2 to 4, strides 8 to 32.
    A checkpoint of plain PVT-S is accepted too: the augmented paths then start untrained.
Parameters: 44.038 M.
Hardware: 8 GPUs x 2 images.
Weights: ImageNet checkpoint in checkpoints/aug_pvt_s.pth.

    python tools/train.py configs/coco/dino_aug_pvt_s.py
    bash tools/dist_train.sh configs/coco/dino_aug_pvt_s.py 8
"""

_base_ = '../_base_/recipes/dino_12e_coco.py'

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
    )
)
