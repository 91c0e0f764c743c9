"""Pictures of your own with boxes, of about 320 pixels: ``--data-root`` names them, else Shapes.

Pictures keep their ratio. Those of training are resized to 0.8 to 1.25 times that size, cut to it
and flipped sideways. Those without objects stay, as they teach what is no object. Drawing never
ends, so an epoch's length, and with it the number of pictures, does not matter.
"""

_base_ = './detection_loaders.py'

own_data = True  # Shapes are an example: --data-root is read as it is
data_root = 'data/shapes/'
metainfo = dict(classes=('circle', 'square', 'triangle'))
scale = (320, 320)

train_steps = dict(
    load=dict(type='vitbackbones.LoadImage'),
    annotations=dict(type='LoadAnnotations', with_bbox=True),
    resize=dict(type='RandomResize', scale=scale, ratio_range=(0.8, 1.25), keep_ratio=True),
    crop=dict(type='RandomCrop', crop_size=scale, allow_negative_crop=True),
    flip=dict(type='RandomFlip', prob=0.5),
    pack=dict(type='PackDetInputs'),
)
train_pipeline = list(train_steps.values())
test_steps = _base_.test_steps
test_steps.resize.scale = scale
test_pipeline = list(test_steps.values())

train_dataloader = dict(
    batch_size=4,
    num_workers=2,
    sampler=dict(type='InfiniteSampler'),
    dataset=dict(
        data_root=data_root,
        metainfo=metainfo,
        ann_file='annotations/instances_train.json',
        data_prefix=dict(img='images/train/'),
        filter_cfg=dict(filter_empty_gt=False, min_size=1),
        pipeline=train_pipeline,
    ),
)
val_dataloader = dict(
    batch_size=8,
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
