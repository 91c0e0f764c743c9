"""Mask R-CNN on PVT-Small, COCO, 12 epochs.

Reproduces: PVT (Wang et al., ICCV 2021), Table 4.
Published: 40.4 62.9 43.8 / 37.8 60.1 40.3 (AP AP50 AP75 of boxes / of masks, COCO val2017).
Parameters: 44.138 M (the paper prints 44.1).
Hardware: 8 GPUs x 2 images, as published.
Weights: ImageNet checkpoint in checkpoints/pvt_s.pth.

    python tools/train.py configs/coco/mask_rcnn_pvt_s.py
    bash tools/dist_train.sh configs/coco/mask_rcnn_pvt_s.py 8
"""

_base_ = '../_base_/recipes/mask_rcnn_12e_coco.py'

model = dict(
    backbone=dict(
        type='vitbackbones.PVT',
        arch='s',
        drop_path_rate=0.1,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/pvt_s.pth'),
    )
)
