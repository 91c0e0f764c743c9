"""Faster R-CNN on PVT-Small, COCO, 12 epochs.

Reproduces: nothing; no result of Faster R-CNN on this backbone was published.
Protocol: the 1x schedule of PVT's RetinaNet: 12 epochs, batch 16, AdamW 1e-4, decay 1e-4, warm-up
    of 500 steps, divided by 10 after epochs 8 and 11; 800 x 1333 pixels at most, flips.
Parameters: 41.495 M.
Hardware: 8 GPUs x 2 images.
Weights: ImageNet checkpoint in checkpoints/pvt_s.pth.

    python tools/train.py configs/coco/faster_rcnn_pvt_s.py
    bash tools/dist_train.sh configs/coco/faster_rcnn_pvt_s.py 8
"""

_base_ = [
    '../_base_/models/faster_rcnn.py',
    '../_base_/datasets/coco_detection_1x.py',
    '../_base_/schedules/detector_12e.py',
    '../_base_/default_runtime.py',
]

model = dict(
    backbone=dict(
        type='vitbackbones.PVT',
        arch='s',
        drop_path_rate=0.1,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/pvt_s.pth'),
    )
)
