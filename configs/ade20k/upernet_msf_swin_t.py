"""UPerNet on MSF-Swin-T, ADE20K.

Reproduces: nothing published; the recipe names the nearest.
Maps: all four, at their own widths; stochastic depth 0.3, as Swin's.
Parameters: 62.101 M.
Hardware: 8 GPUs x 2 images, as Swin's.
Weights: ImageNet checkpoint in checkpoints/msf_swin_t.pth.

    python tools/train.py configs/ade20k/upernet_msf_swin_t.py
    bash tools/dist_train.sh configs/ade20k/upernet_msf_swin_t.py 8
"""

_base_ = [
    '../_base_/recipes/upernet_160k_ade20k.py',
    '../_base_/backbones/msf_swin_t.py',
]

widths = _base_.maps.in_channels
model = dict(
    backbone=dict(_base_.backbone, drop_path_rate=0.3),
    neck=dict(**_base_.maps, out_channels=None),
    decode_head=dict(in_channels=widths),
    auxiliary_head=dict(in_channels=widths[2]),
)
