"""DETR on MSF-Swin-T, COCO.

Reproduces: nothing; no COCO result of MSF-Swin was published.
Chosen: stage 4 alone, stride 32, after the final LayerNorm; stochastic depth 0.2, as for Swin-T
    in mmdetection and on ImageNet.
Parameters: 47.420 M.
Hardware: 8 GPUs x 2 images.
Weights: ImageNet checkpoint in checkpoints/msf_swin_t.pth.

    python tools/train.py configs/coco/detr_msf_swin_t.py
    bash tools/dist_train.sh configs/coco/detr_msf_swin_t.py 8
"""

_base_ = '../_base_/recipes/detr_50e_coco.py'

model = dict(
    backbone=dict(
        type='vitbackbones.MSFSwin',
        arch='t',
        out_indices=(3,),
        drop_path_rate=0.2,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/msf_swin_t.pth'),
    ),
)
