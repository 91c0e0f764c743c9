"""DETR on SReT-S, COCO.

Reproduces: nothing; no COCO result of SReT was published.
Chosen: sliced attention as in the published SReT-S weights (their keys do not tell it from
    global attention: groups=None for those); stage 3 alone, stride 32, without a final norm;
    stochastic depth 0.1 as PVT's. The stem is frozen, so that two images a GPU do not move its
    batch norms, and positions with it (frozen_stages=-1 to train both, as from --scratch). The
    coefficients of its shortcuts are not decayed.
Parameters: 38.065 M, 37.750 of them trained.
Hardware: 8 GPUs x 2 images.
Weights: ImageNet checkpoint in checkpoints/sret_s.pth.

    python tools/train.py configs/coco/detr_sret_s.py
    bash tools/dist_train.sh configs/coco/detr_sret_s.py 8
"""

_base_ = '../_base_/recipes/detr_50e_coco.py'

model = dict(
    backbone=dict(
        type='vitbackbones.SReT',
        arch='s',
        out_indices=(2,),
        frozen_stages=0,
        drop_path_rate=0.1,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/sret_s.pth'),
    ),
)
