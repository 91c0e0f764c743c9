# ruff: noqa: C408
"""The smallest segmentor of the verbs' tests on a ViT, three classes, for mmseg's functions."""

_base_ = ['../commands/tiny_seg.py']

model = dict(
    data_preprocessor=dict(bgr_to_rgb=True),
    backbone=dict(
        _delete_=True,
        type='vitbackbones.ViT',
        arch=dict(embed_dims=32, depth=1, num_heads=2),
        img_size=64,
    ),
    decode_head=dict(num_classes=3),
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
test_dataloader = dict(dataset=dict(metainfo=metainfo, pipeline=test_pipeline))
vis_backends = [dict(type='LocalVisBackend')]
visualizer = dict(type='SegLocalVisualizer', vis_backends=vis_backends, name='visualizer')
