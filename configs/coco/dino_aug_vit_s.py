"""DINO on Aug-ViT-S, COCO, 12 epochs.

Reproduces: nothing; no result of DINO on this backbone was published.
Chosen: the neck makes all levels from the last map, of stride 16. The published ImageNet weights
    saw images of mean and std 127.5, as they are here; a run from DeiT's says what to set.
    A checkpoint of plain DeiT-S is accepted too: the augmented paths then start untrained.
Parameters: 42.233 M.
Hardware: 8 GPUs x 2 images.
Weights: ImageNet checkpoint in checkpoints/aug_vit_s.pth.

    python tools/train.py configs/coco/dino_aug_vit_s.py
    bash tools/dist_train.sh configs/coco/dino_aug_vit_s.py 8
"""

_base_ = '../_base_/recipes/dino_12e_coco.py'

model = dict(
    data_preprocessor=dict(mean=[127.5] * 3, std=[127.5] * 3),  # as the weights' images
    backbone=dict(
        type='vitbackbones.AugViT',
        arch='s',
        drop_path_rate=0.1,
        init_cfg=dict(
            type='vitbackbones.Pretrained',
            checkpoint='checkpoints/aug_vit_s.pth',
            allow_missing=['*.shortcut_*'],
        ),
    ),
)
