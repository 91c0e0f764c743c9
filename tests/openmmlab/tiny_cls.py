# ruff: noqa: C408
"""A classifier of one block, seven classes. No custom_imports: the backbone's name must do."""

default_scope = 'mmpretrain'

model = dict(
    type='ImageClassifier',
    backbone=dict(
        type='vitbackbones.ViT',
        arch=dict(embed_dims=32, depth=1, num_heads=2),
        img_size=64,
        out_type='cls_token',
    ),
    head=dict(
        type='LinearClsHead', num_classes=7, in_channels=32, loss=dict(type='CrossEntropyLoss')
    ),
)
data_preprocessor = dict(num_classes=7, mean=[128.0] * 3, std=[64.0] * 3, to_rgb=True)

test_pipeline = [
    dict(type='LoadImageFromFile'),
    dict(type='ResizeEdge', scale=72, edge='short'),
    dict(type='CenterCrop', crop_size=64),
    dict(type='PackInputs'),
]
test_dataloader = dict(
    batch_size=1,
    num_workers=0,
    sampler=dict(type='DefaultSampler', shuffle=False),
    dataset=dict(
        type='CustomDataset',
        data_root='data/',
        metainfo=dict(classes=tuple('abcdefg')),
        pipeline=test_pipeline,
    ),
)
