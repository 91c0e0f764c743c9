"""DETR on MSF-Swin-T, COCO.

Reproduces: nothing; no COCO result of MSF-Swin was published. To compare with: the published
    rows of detr_deit_s_coco and detr_pvt_s_coco, which share everything but the backbone.
Protocol: PVT's 50-epoch DETR. Short side 640-800, flips, no crops; AdamW 1e-4, backbone 1e-5,
    divided by 10 after epoch 33.
Chosen: stage 4 alone, stride 32, after the final LayerNorm; stochastic depth 0.2, as for Swin-T
    in mmdetection and on ImageNet.
Parameters: 47.420 M.
Hardware: 8 GPUs x 2 images.
Weights: ImageNet checkpoint in checkpoints/msf_swin_t.pth.

    python tools/train.py configs/detr_msf_swin_t_coco.py
    bash tools/dist_train.sh configs/detr_msf_swin_t_coco.py 8
"""

_base_ = [
    '_base_/models/detr.py',
    '_base_/datasets/coco_detection.py',
    '_base_/schedules/detr_50e.py',
    '_base_/default_runtime.py',
]

model = dict(
    backbone=dict(
        type='vitbackbones.MSFSwin',
        arch='t',
        out_indices=(3,),
        drop_path_rate=0.2,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/msf_swin_t.pth'),
    ),
    neck=dict(in_channels=[768]),
)
