"""How detection loads images and boxes in COCO's format.

A data set adds its files, its classes and the steps of training, and sets ``test_steps.resize``;
see the files beside this one.
"""

dataset_type = 'CocoDataset'

test_steps = dict(
    load=dict(type='LoadImageFromFile'),
    resize=dict(type='Resize', keep_ratio=True),
    annotations=dict(type='LoadAnnotations', with_bbox=True),
    pack=dict(
        type='PackDetInputs',
        meta_keys=('img_id', 'img_path', 'ori_shape', 'img_shape', 'scale_factor'),
    ),
)

train_dataloader = dict(
    batch_size=2,
    num_workers=2,
    persistent_workers=True,  # else every epoch draws the same augmentations
    sampler=dict(type='DefaultSampler', shuffle=True),
    dataset=dict(type=dataset_type, filter_cfg=dict(filter_empty_gt=True, min_size=32)),
)
val_dataloader = dict(
    batch_size=1,
    num_workers=2,
    persistent_workers=True,
    drop_last=False,
    sampler=dict(type='DefaultSampler', shuffle=False),
    dataset=dict(type=dataset_type, test_mode=True),
)
test_dataloader = val_dataloader

val_evaluator = dict(type='CocoMetric', metric='bbox')
test_evaluator = val_evaluator
