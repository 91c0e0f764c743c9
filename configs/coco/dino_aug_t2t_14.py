"""DINO on Aug-T2T-ViT-14, COCO, 12 epochs.

Reproduces: nothing; no result of DINO on this backbone was published.
Chosen: the neck makes all levels from the last map, of stride 16.
    A checkpoint of plain T2T-ViT-14 is accepted too: the augmented paths then start untrained.
Parameters: 41.743 M, 41.664 of them trained.
Hardware: 8 GPUs x 2 images.
Weights: ImageNet checkpoint in checkpoints/aug_t2t_14.pth.

    python tools/train.py configs/coco/dino_aug_t2t_14.py
    bash tools/dist_train.sh configs/coco/dino_aug_t2t_14.py 8
"""

_base_ = '../_base_/recipes/dino_12e_coco.py'

model = dict(
    backbone=dict(
        type='vitbackbones.AugT2T',
        arch='14',
        drop_path_rate=0.1,
        init_cfg=dict(
            type='vitbackbones.Pretrained',
            checkpoint='checkpoints/aug_t2t_14.pth',
            allow_missing=['*.shortcut_*'],
        ),
    )
)
