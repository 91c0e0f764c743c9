"""BCCD blood cells in COCO format under data/bccd: 205 + 87 + 72 images of 640 x 480 pixels.

A microscope has no upright direction, so flips go both ways. val watches the training, test gives
the number.
"""

dataset_type = 'CocoDataset'
data_root = 'data/bccd/'
metainfo = dict(classes=('RBC', 'WBC', 'Platelets'))

train_pipeline = [
    dict(type='vitbackbones.LoadImage'),
    dict(type='LoadAnnotations', with_bbox=True),
    dict(type='RandomFlip', prob=0.75, direction=['horizontal', 'vertical', 'diagonal']),
    dict(
        type='RandomChoiceResize',
        scales=[(640, 400), (640, 432), (640, 464), (672, 480), (720, 512), (768, 544)],
        keep_ratio=True,
    ),
    dict(type='PackDetInputs'),
]
test_pipeline = [
    dict(type='LoadImageFromFile'),
    dict(type='Resize', scale=(640, 480), keep_ratio=True),
    dict(type='LoadAnnotations', with_bbox=True),
    dict(
        type='PackDetInputs',
        meta_keys=('img_id', 'img_path', 'ori_shape', 'img_shape', 'scale_factor'),
    ),
]

train_dataloader = dict(
    batch_size=2,
    num_workers=2,
    persistent_workers=True,  # else every epoch draws the same augmentations
    sampler=dict(type='DefaultSampler', shuffle=True),
    dataset=dict(
        type=dataset_type,
        data_root=data_root,
        metainfo=metainfo,
        ann_file='annotations/instances_train.json',
        data_prefix=dict(img='images/'),
        filter_cfg=dict(filter_empty_gt=True, min_size=32),
        pipeline=train_pipeline,
    ),
)
val_dataloader = dict(
    batch_size=1,
    num_workers=2,
    persistent_workers=True,
    drop_last=False,
    sampler=dict(type='DefaultSampler', shuffle=False),
    dataset=dict(
        type=dataset_type,
        data_root=data_root,
        metainfo=metainfo,
        ann_file='annotations/instances_val.json',
        data_prefix=dict(img='images/'),
        test_mode=True,
        pipeline=test_pipeline,
    ),
)
test_dataloader = dict(
    batch_size=1,
    num_workers=2,
    persistent_workers=True,
    drop_last=False,
    sampler=dict(type='DefaultSampler', shuffle=False),
    dataset=dict(
        type=dataset_type,
        data_root=data_root,
        metainfo=metainfo,
        ann_file='annotations/instances_test.json',
        data_prefix=dict(img='images/'),
        test_mode=True,
        pipeline=test_pipeline,
    ),
)

val_evaluator = dict(
    type='CocoMetric', ann_file=data_root + 'annotations/instances_val.json', metric='bbox'
)
test_evaluator = dict(
    type='CocoMetric', ann_file=data_root + 'annotations/instances_test.json', metric='bbox'
)
