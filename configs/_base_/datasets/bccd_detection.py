"""BCCD blood cells in COCO format under data/bccd: 205 + 87 + 72 images of 640 x 480 pixels.

A microscope has no upright direction, so flips go both ways. val watches the training, test gives
the number.
"""

_base_ = './detection_loaders.py'

data_root = 'data/bccd/'
metainfo = dict(classes=('RBC', 'WBC', 'Platelets'))

train_steps = dict(
    load=dict(type='vitbackbones.LoadImage'),
    annotations=dict(type='LoadAnnotations', with_bbox=True),
    flip=dict(type='RandomFlip', prob=0.75, direction=['horizontal', 'vertical', 'diagonal']),
    order=dict(type='vitbackbones.InOrder'),
    resize=dict(
        type='RandomChoiceResize',
        scales=[(640, 400), (640, 432), (640, 464), (672, 480), (720, 512), (768, 544)],
        keep_ratio=True,
    ),
    planes=dict(type='vitbackbones.ToPlanes'),
    pack=dict(type='PackDetInputs'),
)
train_pipeline = list(train_steps.values())
test_steps = _base_.test_steps
test_steps.resize.scale = (640, 480)
test_pipeline = list(test_steps.values())

train_dataloader = dict(
    dataset=dict(
        data_root=data_root,
        metainfo=metainfo,
        ann_file='annotations/instances_train.json',
        data_prefix=dict(img='images/'),
        pipeline=train_pipeline,
    )
)
val_dataloader = dict(
    dataset=dict(
        data_root=data_root,
        metainfo=metainfo,
        ann_file='annotations/instances_val.json',
        data_prefix=dict(img='images/'),
        pipeline=test_pipeline,
    )
)
test_dataloader = dict(
    dataset=dict(
        data_root=data_root,
        metainfo=metainfo,
        ann_file='annotations/instances_test.json',
        data_prefix=dict(img='images/'),
        pipeline=test_pipeline,
    )
)

val_evaluator = dict(ann_file=data_root + 'annotations/instances_val.json')
test_evaluator = dict(ann_file=data_root + 'annotations/instances_test.json')
