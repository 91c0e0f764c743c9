"""UPerNet on MSF-Swin-T, ADE20K.

Reproduces: nothing published; the recipe names the nearest.
Maps: all four, at their own widths; stochastic depth 0.3, as Swin's.
Parameters: 62.101 M.
Hardware: 8 GPUs x 2 images, as Swin's.
Weights: ImageNet checkpoint in checkpoints/msf_swin_t.pth.

    python tools/train.py configs/ade20k/upernet_msf_swin_t.py
    bash tools/dist_train.sh configs/ade20k/upernet_msf_swin_t.py 8
"""

_base_ = '../_base_/recipes/upernet_160k_ade20k.py'

model = dict(
    backbone=dict(
        type='vitbackbones.MSFSwin',
        arch='t',
        drop_path_rate=0.3,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/msf_swin_t.pth'),
    ),
    neck=dict(out_channels=None),
)
