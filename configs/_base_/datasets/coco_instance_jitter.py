"""COCO 2017 with masks under data/coco, with Mask2Former's pipeline: large jitter of the scale.

A training image is resized to 0.1-2 times 1024 pixels and cropped to at most 1024 x 1024.
"""

_base_ = './detection_loaders.py'

data_root = 'data/coco/'

train_steps = dict(
    load=dict(type='vitbackbones.LoadImage'),
    annotations=dict(type='LoadAnnotations', with_bbox=True, with_mask=True),
    flip=dict(type='RandomFlip', prob=0.5),
    order=dict(type='vitbackbones.InOrder'),
    resize=dict(type='RandomResize', scale=(1024, 1024), ratio_range=(0.1, 2.0), keep_ratio=True),
    crop=dict(
        type='RandomCrop',
        crop_size=(1024, 1024),
        recompute_bbox=True,
        allow_negative_crop=True,
    ),
    drop=dict(type='FilterAnnotations', min_gt_bbox_wh=(1e-5, 1e-5), by_mask=True),
    planes=dict(type='vitbackbones.ToPlanes'),
    pack=dict(type='PackDetInputs'),
)
train_pipeline = list(train_steps.values())
test_steps = _base_.test_steps
test_steps.resize.scale = (1333, 800)
test_steps.annotations.with_mask = True
test_pipeline = list(test_steps.values())

train_dataloader = dict(
    sampler=dict(type='InfiniteSampler'),
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

val_evaluator = dict(
    ann_file=data_root + 'annotations/instances_val2017.json', metric=['bbox', 'segm']
)
test_evaluator = val_evaluator
