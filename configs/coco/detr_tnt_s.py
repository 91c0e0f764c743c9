"""DETR on TNT-S, COCO.

Reproduces: TNT (Han et al., NeurIPS 2021), Table 10, TNT-S.
Published: 38.2 58.9 39.4 15.5 41.1 58.8 (AP AP50 AP75 APs APm APl, COCO val2017).
Maps: as published, those of stride 16 are averaged 2 x 2 to stride 32.
Assumed, as no code was published: maps are the last block's tokens after the final LayerNorm,
    without the class token; positions of the patches resized bicubically, those of the pixels
    kept; stochastic depth 0.1 as PVT's; mean and std 127.5, as the images of its ImageNet
    weights.
Parameters: 41.025 M (the paper prints 39).
Hardware: 8 GPUs x 2 images (published: a batch of 16).
Weights: ImageNet checkpoint in checkpoints/tnt_s.pth.

    python tools/train.py configs/coco/detr_tnt_s.py
    bash tools/dist_train.sh configs/coco/detr_tnt_s.py 8
"""

_base_ = '../_base_/recipes/detr_50e_coco.py'

model = dict(
    data_preprocessor=dict(mean=[127.5] * 3, std=[127.5] * 3),  # as the weights' images
    backbone=dict(
        type='vitbackbones.TNT',
        arch='s',
        pool=2,
        drop_path_rate=0.1,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/tnt_s.pth'),
    ),
)
