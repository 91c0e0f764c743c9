"""Shapes as things and stuff: ``python -m vitbackbones.data.shapes data/shapes``."""

_base_ = './shapes_detection.py'

data_root = 'data/shapes/'
dataset_type = 'CocoPanopticDataset'
metainfo = dict(
    classes=('circle', 'square', 'triangle', 'ground'),
    thing_classes=('circle', 'square', 'triangle'),
    stuff_classes=('ground',),
)
load = dict(type='LoadPanopticAnnotations')

train_steps = _base_.train_steps
train_steps.annotations = load
train_pipeline = list(train_steps.values())
test_steps = _base_.test_steps
test_steps.annotations = load
test_pipeline = list(test_steps.values())

train_dataloader = dict(
    dataset=dict(
        type=dataset_type,
        metainfo=metainfo,
        ann_file='annotations/panoptic_train.json',
        data_prefix=dict(seg='annotations/panoptic_train/'),
        pipeline=train_pipeline,
    ),
)
val_dataloader = dict(
    dataset=dict(
        type=dataset_type,
        metainfo=metainfo,
        ann_file='annotations/panoptic_val.json',
        data_prefix=dict(seg='annotations/panoptic_val/'),
        pipeline=test_pipeline,
    ),
)
test_dataloader = val_dataloader

val_evaluator = [
    dict(
        type='CocoPanopticMetric',
        ann_file=data_root + 'annotations/panoptic_val.json',
        seg_prefix=data_root + 'annotations/panoptic_val/',
    ),
    dict(
        type='CocoMetric',
        ann_file=data_root + 'annotations/instances_val.json',
        metric=['bbox', 'segm'],
    ),
]
test_evaluator = val_evaluator
