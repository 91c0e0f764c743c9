"""Shapes, 2000 + 500 drawn images: ``python -m vitbackbones.data.shapes data/shapes``."""

_base_ = './detection_loaders.py'

data_root = 'data/shapes/'
metainfo = dict(classes=('circle', 'square', 'triangle'))

train_steps = dict(
    load=dict(type='vitbackbones.LoadImage'),
    annotations=dict(type='LoadAnnotations', with_bbox=True),
    resize=dict(type='Resize', scale=(128, 128), keep_ratio=True),
    flip=dict(type='RandomFlip', prob=0.5),  # sideways only: triangles point up
    pack=dict(type='PackDetInputs'),
)
train_pipeline = list(train_steps.values())
test_steps = _base_.test_steps
test_steps.resize.scale = (128, 128)
test_pipeline = list(test_steps.values())

train_dataloader = dict(
    batch_size=16,
    num_workers=1,
    dataset=dict(
        data_root=data_root,
        metainfo=metainfo,
        ann_file='annotations/instances_train.json',
        data_prefix=dict(img='images/train/'),
        pipeline=train_pipeline,
    ),
)
val_dataloader = dict(
    batch_size=16,
    num_workers=1,
    dataset=dict(
        data_root=data_root,
        metainfo=metainfo,
        ann_file='annotations/instances_val.json',
        data_prefix=dict(img='images/val/'),
        pipeline=test_pipeline,
    ),
)
test_dataloader = val_dataloader

val_evaluator = dict(ann_file=data_root + 'annotations/instances_val.json')
test_evaluator = val_evaluator
