"""Crops of CamVid's road scenes, 6400 + 960 + 3200 pictures of 32 pixels in eight class folders.

python -m examples.camvid_crops data/camvid data/camvid_crops

Chance is 12.5 % on each split. A training picture is shifted by up to 4 pixels and flipped. The
pictures are so small that they are loaded in the process that trains.
"""

dataset_type = 'CustomDataset'
data_root = 'data/camvid_crops/'
metainfo = dict(
    classes=('building', 'car', 'fence', 'pavement', 'road', 'sign', 'sky', 'tree'),
)

train_steps = dict(
    load=dict(type='vitbackbones.LoadImage'),
    crop=dict(type='RandomCrop', crop_size=32, padding=4, padding_mode='reflect'),
    flip=dict(type='RandomFlip', prob=0.5, direction='horizontal'),
    pack=dict(type='PackInputs'),
)
test_steps = dict(
    load=dict(type='LoadImageFromFile'),
    resize=dict(type='ResizeEdge', scale=32),  # for other images than these
    crop=dict(type='CenterCrop', crop_size=32),
    pack=dict(type='PackInputs'),
)
train_pipeline = list(train_steps.values())
test_pipeline = list(test_steps.values())

train_dataloader = dict(
    batch_size=32,
    num_workers=0,
    sampler=dict(type='DefaultSampler', shuffle=True),
    drop_last=True,
    dataset=dict(
        type=dataset_type,
        data_root=data_root,
        data_prefix='train',
        metainfo=metainfo,
        pipeline=train_pipeline,
    ),
)
val_dataloader = dict(
    batch_size=200,
    num_workers=0,
    sampler=dict(type='DefaultSampler', shuffle=False),
    dataset=dict(
        type=dataset_type,
        data_root=data_root,
        data_prefix='val',
        metainfo=metainfo,
        pipeline=test_pipeline,
    ),
)
test_dataloader = dict(
    batch_size=200,
    num_workers=0,
    sampler=dict(type='DefaultSampler', shuffle=False),
    dataset=dict(
        type=dataset_type,
        data_root=data_root,
        data_prefix='test',
        metainfo=metainfo,
        pipeline=test_pipeline,
    ),
)

val_evaluator = dict(type='Accuracy', topk=(1,))
test_evaluator = val_evaluator
