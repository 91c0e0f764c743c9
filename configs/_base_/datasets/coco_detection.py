"""COCO 2017 in the usual layout under data/coco, with PVT's DETR pipeline.

The short side of a training image is one of 640, 672, ..., 800 pixels and the long side at most
1333; flips, no crops.
"""

_base_ = './detection_loaders.py'

data_root = 'data/coco/'

train_steps = dict(
    load=dict(type='vitbackbones.LoadImage'),
    annotations=dict(type='LoadAnnotations', with_bbox=True),
    flip=dict(type='RandomFlip', prob=0.5),
    order=dict(type='vitbackbones.InOrder'),
    resize=dict(
        type='RandomChoiceResize',
        scales=[(1333, 640), (1333, 672), (1333, 704), (1333, 736), (1333, 768), (1333, 800)],
        keep_ratio=True,
    ),
    planes=dict(type='vitbackbones.ToPlanes'),
    pack=dict(type='PackDetInputs'),
)
train_pipeline = list(train_steps.values())
test_steps = _base_.test_steps
test_steps.resize.scale = (1333, 800)
test_pipeline = list(test_steps.values())

train_dataloader = dict(
    batch_sampler=dict(type='AspectRatioBatchSampler'),
    dataset=dict(
        data_root=data_root,
        ann_file='annotations/instances_train2017.json',
        data_prefix=dict(img='train2017/'),
        pipeline=train_pipeline,
    ),
)
val_dataloader = dict(
    dataset=dict(
        data_root=data_root,
        ann_file='annotations/instances_val2017.json',
        data_prefix=dict(img='val2017/'),
        pipeline=test_pipeline,
    )
)
test_dataloader = val_dataloader

val_evaluator = dict(ann_file=data_root + 'annotations/instances_val2017.json')
test_evaluator = val_evaluator
