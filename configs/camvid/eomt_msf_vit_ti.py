"""EoMT on a small MSF-ViT, CamVid at half its size: the same data on two CPU cores.

Reproduces: nothing published; the pair with setr_mla_msf_vit_ti_camvid compares heads.
Hardware: two CPU cores or any GPU.

    python tools/train.py configs/camvid/eomt_msf_vit_ti.py
"""

_base_ = '../_base_/recipes/eomt_1250_camvid.py'

model = dict(
    backbone=dict(
        type='vitbackbones.MSFViT',
        arch=dict(embed_dims=128, depth=4, num_heads=2),
        img_size=160,
    ),
)
