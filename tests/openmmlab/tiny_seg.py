# ruff: noqa: C408
"""A segmentor of one block and mmseg's simplest head, three classes."""

default_scope = 'mmseg'
custom_imports = dict(imports=['vitbackbones'])

model = dict(
    type='EncoderDecoder',
    data_preprocessor=dict(
        type='SegDataPreProcessor',
        mean=[128.0] * 3,
        std=[64.0] * 3,
        bgr_to_rgb=True,
        size=(64, 64),
        pad_val=0,
        seg_pad_val=255,
    ),
    backbone=dict(
        type='vitbackbones.ViT', arch=dict(embed_dims=32, depth=1, num_heads=2), img_size=64
    ),
    decode_head=dict(
        type='FCNHead',
        in_channels=32,
        in_index=-1,
        channels=16,
        num_convs=1,
        num_classes=3,
        norm_cfg=dict(type='BN'),
        loss_decode=dict(type='CrossEntropyLoss'),
    ),
    train_cfg=dict(),
    test_cfg=dict(mode='slide', crop_size=(64, 64), stride=(48, 48)),
)

test_pipeline = [
    dict(type='LoadImageFromFile'),
    dict(type='Resize', scale=(256, 64), keep_ratio=True),
    dict(type='LoadAnnotations', reduce_zero_label=True),
    dict(type='PackSegInputs'),
]
metainfo = dict(
    classes=('circle', 'square', 'triangle'), palette=[[230, 159, 0], [86, 180, 233], [0, 158, 115]]
)
test_dataloader = dict(
    batch_size=1,
    num_workers=0,
    sampler=dict(type='DefaultSampler', shuffle=False),
    dataset=dict(
        type='BaseSegDataset',
        data_root='data/',
        data_prefix=dict(img_path='images/val', seg_map_path='annotations/val'),
        metainfo=metainfo,
        pipeline=test_pipeline,
    ),
)
vis_backends = [dict(type='LocalVisBackend')]
visualizer = dict(type='SegLocalVisualizer', vis_backends=vis_backends, name='visualizer')
