"""Ten epochs on drawn shapes of 64 pixels, for minutes on two CPU cores.

    python -m vitbackbones.data.shapes data/shapes_folders --layout folders --size 64

A run config adds a small backbone.
"""

_base_ = [
    '../models/classifier.py',
    '../schedules/cls_shapes.py',
    '../cls_runtime.py',
]

model = dict(
    data_preprocessor=dict(num_classes=3),
    head=dict(num_classes=3, topk=(1,)),
    train_cfg=None,  # nothing is mixed: there is little to overfit
)

dataset_type = 'CustomDataset'
data_root = 'data/shapes_folders/'
metainfo = dict(classes=('circle', 'square', 'triangle'))

train_steps = dict(
    load=dict(type='vitbackbones.LoadImage'),
    crop=dict(type='RandomResizedCrop', scale=64, crop_ratio_range=(0.7, 1.0), backend='pillow'),
    flip=dict(type='RandomFlip', prob=0.5, direction='horizontal'),  # triangles point up
    pack=dict(type='PackInputs'),
)
test_steps = dict(
    load=dict(type='LoadImageFromFile'),
    resize=dict(type='ResizeEdge', scale=64, backend='pillow'),
    crop=dict(type='CenterCrop', crop_size=64),  # for other images than these, which are square
    pack=dict(type='PackInputs'),
)
train_pipeline = list(train_steps.values())
test_pipeline = list(test_steps.values())

train_dataloader = dict(
    batch_size=32,
    num_workers=1,
    persistent_workers=True,  # else every epoch draws the same augmentations
    sampler=dict(type='DefaultSampler', shuffle=True),
    dataset=dict(
        type=dataset_type,
        data_root=data_root,
        data_prefix='train',
        metainfo=metainfo,
        pipeline=train_pipeline,
    ),
)
val_dataloader = dict(
    batch_size=50,
    num_workers=1,
    persistent_workers=True,
    sampler=dict(type='DefaultSampler', shuffle=False),
    dataset=dict(
        type=dataset_type,
        data_root=data_root,
        data_prefix='val',
        metainfo=metainfo,
        pipeline=test_pipeline,
    ),
)
test_dataloader = val_dataloader

val_evaluator = dict(type='Accuracy', topk=(1,))
test_evaluator = val_evaluator
