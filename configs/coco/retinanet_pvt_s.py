"""RetinaNet on PVT-Small, COCO, 12 epochs.

Reproduces: PVT (Wang et al., ICCV 2021), Table 3.
Published: 40.4 61.3 43.0 25.0 42.9 55.7 (AP AP50 AP75 APs APm APl, COCO val2017).
Parameters: 34.221 M (the paper prints 34.2).
Hardware: 8 GPUs x 2 images, as published.
Weights: ImageNet checkpoint in checkpoints/pvt_s.pth.

    python tools/train.py configs/coco/retinanet_pvt_s.py
    bash tools/dist_train.sh configs/coco/retinanet_pvt_s.py 8
"""

_base_ = '../_base_/recipes/retinanet_12e_coco.py'

model = dict(
    backbone=dict(
        type='vitbackbones.PVT',
        arch='s',
        drop_path_rate=0.1,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/pvt_s.pth'),
    )
)
