"""Mask R-CNN on Swin-T, COCO, 12 epochs.

Reproduces: Swin (Liu et al., ICCV 2021), repository for detection, Mask R-CNN 1x.
Published: 43.7 / 39.8 (AP of boxes / of masks, COCO val2017); 46.0 / 41.6 after 36 epochs.
Changed from the backbone's file: stochastic depth 0.1, as published for 12 epochs.
Assumed: the last map has the final LayerNorm of the classifier, and the others none; published,
    each of the four has a norm of its own.
Parameters: 47.793 M (the repository prints 48).
Hardware: 8 GPUs x 2 images, as published.
Weights: ImageNet checkpoint in checkpoints/swin_t.pth.

    python tools/train.py configs/coco/mask_rcnn_swin_t.py
    bash tools/dist_train.sh configs/coco/mask_rcnn_swin_t.py 8
"""

_base_ = '../_base_/recipes/mask_rcnn_swin_12e_coco.py'

model = dict(
    backbone=dict(
        type='vitbackbones.Swin',
        arch='t',
        drop_path_rate=0.1,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/swin_t.pth'),
    )
)
