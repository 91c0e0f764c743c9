# ruff: noqa: C408
"""SETR-Naive on a narrow ViT of 12 blocks and a few small images in ADE20K's layout."""

_base_ = [
    '../../configs/_base_/models/setr_naive.py',
    '../../configs/_base_/datasets/ade20k.py',
    '../../configs/_base_/schedules/setr_160k.py',
    '../../configs/_base_/segmentation_runtime.py',
]

model = dict(
    data_preprocessor=dict(size=(64, 64)),
    backbone=dict(
        type='vitbackbones.ViT',
        arch=dict(embed_dims=24, depth=12, num_heads=2),
        img_size=64,
        final_norm=False,
    ),
    decode_head=dict(in_channels=24),
    auxiliary_head=dict(in_channels=24),
    test_cfg=dict(crop_size=(64, 64), stride=(48, 48)),
)

load_image = dict(type='LoadImageFromFile')
load_mask = dict(type='vitbackbones.LoadMask', num_classes=150)
pack = dict(type='PackSegInputs')
test_pipeline = [load_image, dict(type='Resize', scale=(256, 64)), load_mask, pack]
tta_pipeline = [
    load_image,
    dict(
        type='TestTimeAug',
        transforms=[
            [dict(type='Resize', scale=(4 * s, s), keep_ratio=True) for s in (48, 64)],
            [dict(type='RandomFlip', prob=0.0), dict(type='RandomFlip', prob=1.0)],
            [load_mask],
            [pack],
        ],
    ),
]
train_dataloader = dict(dataset=dict(pipeline=[load_image, load_mask, pack]))
test_dataloader = dict(num_workers=0, persistent_workers=False)
test_dataloader['dataset'] = dict(pipeline=test_pipeline)
