"""SETR-MLA on SimpleViT-S, CamVid: road scenes in eleven classes, a real data set.

Reproduces: nothing published; the pair with setr_mla_msf_vit_s_camvid compares mean-shift and
    dot-product attention at the same number of steps.
Protocol: 20 000 steps at batch 16, AdamW 3e-4; crops of 320 x 320, tested in windows of that size
    at steps of 213.
Hardware: one GPU. For two CPU cores: setr_mla_simple_vit_ti_camvid.
Weights: ImageNet checkpoint in checkpoints/simple_vit_s.pth, or --scratch.

    python tools/train.py configs/setr_mla_simple_vit_s_camvid.py
"""

_base_ = [
    '_base_/models/setr_mla.py',
    '_base_/datasets/camvid.py',
    '_base_/schedules/setr_20k.py',
    '_base_/segmentation_runtime.py',
]

model = dict(
    data_preprocessor=dict(size=(320, 320)),
    backbone=dict(
        type='vitbackbones.SimpleViT',
        arch='s',
        img_size=320,
        drop_path_rate=0.1,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/simple_vit_s.pth'),
    ),
    neck=dict(in_channels=[384, 384, 384, 384]),
    decode_head=dict(num_classes=11),
    auxiliary_head=dict(num_classes=11),
    test_cfg=dict(crop_size=(320, 320), stride=(213, 213)),
)

default_hooks = dict(checkpoint=dict(interval=1000, max_keep_ckpts=2))
