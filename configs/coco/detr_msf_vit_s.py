"""DETR on MSF-ViT-S, COCO.

Reproduces: nothing; no COCO result of MSF-ViT was published.
Chosen: maps are the last block's tokens, averaged 2 x 2 to stride 32; the network has no norm
    after its blocks. Its position code is computed for the size of the map. No stochastic depth,
    as in its published training.
Parameters: 40.983 M.
Hardware: 8 GPUs x 2 images.
Weights: ImageNet checkpoint in checkpoints/msf_vit_s.pth.

    python tools/train.py configs/coco/detr_msf_vit_s.py
    bash tools/dist_train.sh configs/coco/detr_msf_vit_s.py 8
"""

_base_ = '../_base_/recipes/detr_50e_coco.py'

model = dict(
    backbone=dict(
        type='vitbackbones.MSFViT',
        arch='s',
        pool=2,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/msf_vit_s.pth'),
    ),
)
