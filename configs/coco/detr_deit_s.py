"""DETR on DeiT-S, COCO.

Reproduces: Aug-ViT (Tang et al., NeurIPS 2021), Table 9, DeiT-S; also TNT (NeurIPS 2021), Table 10.
Published: 33.9 54.7 34.3 11.0 35.4 56.6 (AP AP50 AP75 APs APm APl, COCO val2017).
Assumed, as no code was published: maps are the last block's tokens after the final LayerNorm,
    without the class token, averaged 2 x 2 to stride 32 (said of TNT in the same group's paper);
    positions resized bicubically; stochastic depth 0.1 and ImageNet mean and std as PVT's.
Parameters: 39.307 M (the paper prints 38).
Hardware: 8 GPUs x 2 images, as published.
Weights: ImageNet checkpoint in checkpoints/deit_s.pth.

    python tools/train.py configs/coco/detr_deit_s.py
    bash tools/dist_train.sh configs/coco/detr_deit_s.py 8
"""

_base_ = '../_base_/recipes/detr_50e_coco.py'

model = dict(
    backbone=dict(
        type='vitbackbones.ViT',
        arch='s',
        pool=2,
        drop_path_rate=0.1,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/deit_s.pth'),
    ),
)
