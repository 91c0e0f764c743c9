"""Mask R-CNN on DeiT-S in windows, COCO at 1024 pixels, 100 epochs.

Reproduces: nothing; ViTDet published ViT-B and larger, pretrained by MAE.
Chosen: as in ViTDet, windows of 14 x 14 tokens, but for 4 of the 12 blocks, and a simple feature
    pyramid from the last map. Positions are absolute alone, and the last map has the final
    LayerNorm.
Parameters: 42.508 M.
Hardware: 64 GPUs x 1 image, as published for ViT-B.
Weights: ImageNet checkpoint in checkpoints/deit_s.pth.

    python tools/train.py configs/coco/mask_rcnn_deit_s.py
    bash tools/dist_train.sh configs/coco/mask_rcnn_deit_s.py 64
"""

_base_ = '../_base_/recipes/mask_rcnn_100e_coco.py'

model = dict(
    backbone=dict(
        type='vitbackbones.ViT',
        arch='s',
        drop_path_rate=0.1,
        window_size=14,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/deit_s.pth'),
    )
)
