"""DETR on PVT-Small, COCO.

Reproduces: PVT (Wang et al., ICCV 2021), detr_pvt_s_8x2_50ep; Aug-ViT, Table 9, PVT-S.
Published: 34.7 55.7 35.4 12.0 36.4 56.7 (AP AP50 AP75 APs APm APl, COCO val2017).
Maps: stage 4 alone, stride 32, without a final norm; stochastic depth 0.1.
Assumed: nothing; PVT published its config.
Parameters: 41.645 M (the paper prints 40).
Hardware: 8 GPUs x 2 images, as published.
Weights: ImageNet checkpoint in checkpoints/pvt_s.pth.

    python tools/train.py configs/coco/detr_pvt_s.py
    bash tools/dist_train.sh configs/coco/detr_pvt_s.py 8
"""

_base_ = '../_base_/recipes/detr_50e_coco.py'

model = dict(
    backbone=dict(
        type='vitbackbones.PVT',
        arch='s',
        out_indices=(3,),
        drop_path_rate=0.1,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/pvt_s.pth'),
    ),
)
