"""Deformable DETR on PVT-Small, COCO.

Reproduces: nothing; no result of Deformable DETR on this backbone was published.
Parameters: 36.371 M.
Hardware: 16 GPUs x 2 images.
Weights: ImageNet checkpoint in checkpoints/pvt_s.pth.

    python tools/train.py configs/coco/deformable_detr_pvt_s.py
    bash tools/dist_train.sh configs/coco/deformable_detr_pvt_s.py 16
"""

_base_ = '../_base_/recipes/deformable_detr_50e_coco.py'

model = dict(
    backbone=dict(
        type='vitbackbones.PVT',
        arch='s',
        drop_path_rate=0.1,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/pvt_s.pth'),
    )
)
