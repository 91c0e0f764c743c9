"""Mask2Former for semantic segmentation on PVT-Small, ADE20K.

Reproduces: nothing published; the recipe names the nearest.
Maps: all four, at their own widths.
Parameters: 43.783 M.
Hardware: 8 GPUs x 2 images, as Mask2Former's.
Weights: ImageNet checkpoint in checkpoints/pvt_s.pth.

    python tools/train.py configs/ade20k/mask2former_pvt_s.py
    bash tools/dist_train.sh configs/ade20k/mask2former_pvt_s.py 8
"""

_base_ = '../_base_/recipes/mask2former_160k_ade20k.py'

model = dict(
    backbone=dict(
        type='vitbackbones.PVT',
        arch='s',
        drop_path_rate=0.1,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/pvt_s.pth'),
    ),
    neck=dict(out_channels=None),
)
