"""Mask R-CNN on PVT-Tiny, COCO, 12 epochs.

Reproduces: PVT (Wang et al., ICCV 2021), Table 4.
Published: 36.7 59.2 39.3 / 35.1 56.7 37.3 (AP AP50 AP75 of boxes / of masks, COCO val2017).
Parameters: 32.882 M (the paper prints 32.9).
Hardware: 8 GPUs x 2 images, as published.
Weights: ImageNet checkpoint in checkpoints/pvt_t.pth.

    python tools/train.py configs/coco/mask_rcnn_pvt_t.py
    bash tools/dist_train.sh configs/coco/mask_rcnn_pvt_t.py 8
"""

_base_ = '../_base_/recipes/mask_rcnn_12e_coco.py'

model = dict(
    backbone=dict(
        type='vitbackbones.PVT',
        arch='t',
        drop_path_rate=0.1,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/pvt_t.pth'),
    )
)
