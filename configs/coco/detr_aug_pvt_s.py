"""DETR on Aug-PVT-Small, COCO.

Reproduces: Aug-ViT (Tang et al., NeurIPS 2021), Table 9, Aug-PVT-S.
Published: 35.1 55.8 35.9 12.5 36.5 57.3 (AP AP50 AP75 APs APm APl, COCO val2017).
Maps: stage 4 alone, stride 32, without a final norm; stochastic depth 0.1.
Assumed, as no code was published: two circulant paths with biases around both branches of every
    block, without Aug-ViT's factor 3/4; a checkpoint that was trained with it keeps it.
    A checkpoint of plain PVT-S is accepted too: the augmented paths then start untrained.
Parameters: 41.728 M (the paper prints 40).
Hardware: 8 GPUs x 2 images, as published.
Weights: ImageNet checkpoint in checkpoints/aug_pvt_s.pth.

    python tools/train.py configs/coco/detr_aug_pvt_s.py
    bash tools/dist_train.sh configs/coco/detr_aug_pvt_s.py 8
"""

_base_ = '../_base_/recipes/detr_50e_coco.py'

model = dict(
    backbone=dict(
        type='vitbackbones.AugPVT',
        arch='s',
        out_indices=(3,),
        drop_path_rate=0.1,
        init_cfg=dict(
            type='vitbackbones.Pretrained',
            checkpoint='checkpoints/aug_pvt_s.pth',
            allow_missing=['*.shortcut_*'],
        ),
    ),
)
