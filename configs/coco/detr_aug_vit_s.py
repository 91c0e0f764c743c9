"""DETR on Aug-ViT-S, COCO.

Reproduces: Aug-ViT (Tang et al., NeurIPS 2021), Table 9, Aug-ViT-S.
Published: 35.7 56.7 36.5 12.2 38.0 58.6 (AP AP50 AP75 APs APm APl, COCO val2017).
Assumed, as no code was published: maps are the last block's tokens after the final LayerNorm,
    without the class token, averaged 2 x 2 to stride 32 (said of TNT in the same group's paper);
    positions resized bicubically; stochastic depth 0.1 as PVT's; mean and std 127.5, as
    the images of its ImageNet weights (plain DeiT weights saw ImageNet's: a run says what to set).
    A checkpoint of plain DeiT-S is accepted too: the augmented paths then start untrained.
Parameters: 39.399 M (the paper prints 38).
Hardware: 8 GPUs x 2 images, as published.
Weights: ImageNet checkpoint in checkpoints/aug_vit_s.pth.

    python tools/train.py configs/coco/detr_aug_vit_s.py
    bash tools/dist_train.sh configs/coco/detr_aug_vit_s.py 8
"""

_base_ = '../_base_/recipes/detr_50e_coco.py'

model = dict(
    data_preprocessor=dict(mean=[127.5] * 3, std=[127.5] * 3),  # as the weights' images
    backbone=dict(
        type='vitbackbones.AugViT',
        arch='s',
        pool=2,
        drop_path_rate=0.1,
        init_cfg=dict(
            type='vitbackbones.Pretrained',
            checkpoint='checkpoints/aug_vit_s.pth',
            allow_missing=['*.shortcut_*'],
        ),
    ),
)
