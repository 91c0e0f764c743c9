"""SETR-MLA on MSF-ViT-S, CamVid: road scenes in eleven classes, a real data set.

Reproduces: nothing published; the pair with setr_mla_simple_vit_s_camvid compares mean-shift and
    dot-product attention at the same number of steps.
Hardware: one GPU. For two CPU cores: setr_mla_msf_vit_ti_camvid.
Weights: ImageNet checkpoint in checkpoints/msf_vit_s.pth, or --scratch.

    python tools/train.py configs/camvid/setr_mla_msf_vit_s.py
"""

_base_ = '../_base_/recipes/setr_mla_20k_camvid.py'

model = dict(
    backbone=dict(
        type='vitbackbones.MSFViT',
        arch='s',
        img_size=320,
        drop_path_rate=0.1,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/msf_vit_s.pth'),
    ),
)
