"""DETR on MSF-ViT-S, COCO.

Reproduces: nothing; no COCO result of MSF-ViT was published. To compare with: the published
    rows of detr_deit_s_coco and detr_pvt_s_coco, which share everything but the backbone.
Protocol: PVT's 50-epoch DETR. Short side 640-800, flips, no crops; AdamW 1e-4, backbone 1e-5,
    divided by 10 after epoch 33.
Chosen: maps are the last block's tokens, averaged 2 x 2 to stride 32; the network has no norm
    after its blocks. Its position code is computed for the size of the map. No stochastic depth,
    as in its published training.
Parameters: 40.983 M.
Hardware: 8 GPUs x 2 images.
Weights: ImageNet checkpoint in checkpoints/msf_vit_s.pth.

    python tools/train.py configs/detr_msf_vit_s_coco.py
    bash tools/dist_train.sh configs/detr_msf_vit_s_coco.py 8
"""

_base_ = [
    '_base_/models/detr.py',
    '_base_/datasets/coco_detection.py',
    '_base_/schedules/detr_50e.py',
    '_base_/default_runtime.py',
]

model = dict(
    backbone=dict(
        type='vitbackbones.MSFViT',
        arch='s',
        pool=2,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/msf_vit_s.pth'),
    ),
    neck=dict(in_channels=[384]),
)
