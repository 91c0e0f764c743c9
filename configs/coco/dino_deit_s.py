"""DINO on DeiT-S, COCO, 12 epochs.

Reproduces: nothing; no result of DINO on this backbone was published.
Chosen: the neck makes all levels from the last map, of stride 16.
Parameters: 42.141 M.
Hardware: 8 GPUs x 2 images.
Weights: ImageNet checkpoint in checkpoints/deit_s.pth.

    python tools/train.py configs/coco/dino_deit_s.py
    bash tools/dist_train.sh configs/coco/dino_deit_s.py 8
"""

_base_ = '../_base_/recipes/dino_12e_coco.py'

model = dict(
    backbone=dict(
        type='vitbackbones.ViT',
        arch='s',
        drop_path_rate=0.1,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/deit_s.pth'),
    )
)
