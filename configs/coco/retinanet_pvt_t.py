"""RetinaNet on PVT-Tiny, COCO, 12 epochs.

Reproduces: PVT (Wang et al., ICCV 2021), Table 3.
Published: 36.7 56.9 38.9 22.6 38.8 50.0 (AP AP50 AP75 APs APm APl, COCO val2017).
Parameters: 22.964 M (the paper prints 23.0).
Hardware: 8 GPUs x 2 images, as published.
Weights: ImageNet checkpoint in checkpoints/pvt_t.pth.

    python tools/train.py configs/coco/retinanet_pvt_t.py
    bash tools/dist_train.sh configs/coco/retinanet_pvt_t.py 8
"""

_base_ = '../_base_/recipes/retinanet_12e_coco.py'

model = dict(
    backbone=dict(
        type='vitbackbones.PVT',
        arch='t',
        drop_path_rate=0.1,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/pvt_t.pth'),
    )
)
