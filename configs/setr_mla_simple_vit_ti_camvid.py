"""SETR-MLA on a small SimpleViT, CamVid at half its size: the same data on two CPU cores.

Reproduces: nothing published; the pair with setr_mla_msf_vit_ti_camvid compares attentions.
Measured: mIoU 34.38 on test (48.36 on val); with mean-shift attention 34.12: docs/camvid.md.
Schedule: shortened, 1250 steps of 16 crops of 160 x 160 from random weights.
Hardware: two CPU cores or any GPU; 1.2 s a step on one free core, 26 minutes.

    python tools/train.py configs/setr_mla_simple_vit_ti_camvid.py
"""

_base_ = [
    '_base_/models/setr_mla_small.py',
    '_base_/datasets/camvid_small.py',
    '_base_/schedules/setr_1250.py',
    '_base_/segmentation_runtime.py',
]

model = dict(
    data_preprocessor=dict(size=(160, 160)),
    backbone=dict(
        type='vitbackbones.SimpleViT',
        arch=dict(embed_dims=128, depth=4, num_heads=2),
        img_size=160,
    ),
    neck=dict(in_channels=[128, 128, 128, 128]),
    decode_head=dict(num_classes=11),
    auxiliary_head=dict(num_classes=11),
    test_cfg=dict(mode='slide', crop_size=(160, 160), stride=(80, 80)),
)

default_hooks = dict(checkpoint=dict(interval=250), logger=dict(interval=25))
