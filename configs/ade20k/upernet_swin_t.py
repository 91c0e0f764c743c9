"""UPerNet on Swin-T, ADE20K.

Reproduces: Swin, repository for segmentation.
Published: 44.51 / 45.81 (mIoU, one scale / several with flips).
Maps: all four, at their own widths; stochastic depth 0.3.
Assumed: as in timm, the last map alone has a final LayerNorm; there each map has one.
Parameters: 59.941 M (the README prints 60).
Hardware: 8 GPUs x 2 images, as published.
Weights: ImageNet checkpoint in checkpoints/swin_t.pth.

    python tools/train.py configs/ade20k/upernet_swin_t.py
    bash tools/dist_train.sh configs/ade20k/upernet_swin_t.py 8
"""

_base_ = '../_base_/recipes/upernet_160k_ade20k.py'

model = dict(
    data_preprocessor=dict(test_cfg=None),  # tested on images as they are, not padded
    backbone=dict(
        type='vitbackbones.Swin',
        arch='t',
        drop_path_rate=0.3,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/swin_t.pth'),
    ),
    neck=dict(out_channels=None),
)
