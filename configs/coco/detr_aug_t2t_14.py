"""DETR on Aug-T2T-ViT-14, COCO.

Reproduces: nothing; no COCO result of Aug-T2T was published.
Chosen: maps are the last block's tokens after the final LayerNorm, without the class token,
    averaged 2 x 2 to stride 32, as for DeiT-S; stochastic depth 0.1 as PVT's.
    A checkpoint of plain T2T-ViT-14 is accepted too: the augmented paths then start untrained.
Parameters: 38.909 M, 38.829 of them trained.
Hardware: 8 GPUs x 2 images.
Weights: ImageNet checkpoint in checkpoints/aug_t2t_14.pth.

    python tools/train.py configs/coco/detr_aug_t2t_14.py
    bash tools/dist_train.sh configs/coco/detr_aug_t2t_14.py 8
"""

_base_ = '../_base_/recipes/detr_50e_coco.py'

model = dict(
    backbone=dict(
        type='vitbackbones.AugT2T',
        arch='14',
        pool=2,
        drop_path_rate=0.1,
        init_cfg=dict(
            type='vitbackbones.Pretrained',
            checkpoint='checkpoints/aug_t2t_14.pth',
            allow_missing=['*.shortcut_*'],
        ),
    ),
)
