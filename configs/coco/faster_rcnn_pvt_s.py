"""Faster R-CNN on PVT-Small, COCO, 12 epochs.

Reproduces: nothing; no result of Faster R-CNN on this backbone was published.
Parameters: 41.495 M.
Hardware: 8 GPUs x 2 images.
Weights: ImageNet checkpoint in checkpoints/pvt_s.pth.

    python tools/train.py configs/coco/faster_rcnn_pvt_s.py
    bash tools/dist_train.sh configs/coco/faster_rcnn_pvt_s.py 8
"""

_base_ = '../_base_/recipes/faster_rcnn_12e_coco.py'

model = dict(
    backbone=dict(
        type='vitbackbones.PVT',
        arch='s',
        drop_path_rate=0.1,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/pvt_s.pth'),
    )
)
