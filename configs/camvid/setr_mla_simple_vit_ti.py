"""SETR-MLA on a small SimpleViT, CamVid at half its size: the same data on two CPU cores.

Reproduces: nothing published; the pair with setr_mla_msf_vit_ti_camvid compares attentions.
Measured: mIoU 34.38 on test (48.36 on val); with mean-shift attention 34.12: docs/lab/camvid.md.
Hardware: two CPU cores or any GPU; 1.2 s a step on one free core, 26 minutes.

    python tools/train.py configs/camvid/setr_mla_simple_vit_ti.py
"""

_base_ = '../_base_/recipes/setr_mla_1250_camvid.py'

model = dict(
    backbone=dict(
        type='vitbackbones.SimpleViT',
        arch=dict(embed_dims=128, depth=4, num_heads=2),
        img_size=160,
    ),
)
