# ruff: noqa: C408
"""The smallest DETR of the tools' tests, with what mmdet's inference functions want."""

_base_ = ['../commands/tiny_detr.py']

pipeline = [
    dict(type='LoadImageFromFile'),
    dict(type='Resize', scale=(64, 64), keep_ratio=True),
    dict(type='LoadAnnotations', with_bbox=True),
    dict(
        type='PackDetInputs',
        meta_keys=('img_id', 'img_path', 'ori_shape', 'img_shape', 'scale_factor'),
    ),
]
test_dataloader = dict(dataset=dict(pipeline=pipeline))
vis_backends = [dict(type='LocalVisBackend')]
visualizer = dict(type='DetLocalVisualizer', vis_backends=vis_backends, name='visualizer')
