"""COCO 2017 with panoptic masks under data/coco, with the pipeline of coco_instance_jitter.py.

Measured: panoptic quality, and AP of boxes and masks of the things.
"""

_base_ = './coco_instance_jitter.py'

dataset_type = 'CocoPanopticDataset'
data_root = 'data/coco/'
load = dict(type='LoadPanopticAnnotations')

train_steps = _base_.train_steps
train_steps.annotations = load
del train_steps.drop
train_pipeline = list(train_steps.values())
test_steps = _base_.test_steps
test_steps.annotations = load
test_pipeline = list(test_steps.values())

train_dataloader = dict(
    dataset=dict(
        type=dataset_type,
        ann_file='annotations/panoptic_train2017.json',
        data_prefix=dict(seg='annotations/panoptic_train2017/'),
        pipeline=train_pipeline,
    ),
)
val_dataloader = dict(
    dataset=dict(
        type=dataset_type,
        ann_file='annotations/panoptic_val2017.json',
        data_prefix=dict(seg='annotations/panoptic_val2017/'),
        pipeline=test_pipeline,
    )
)
test_dataloader = val_dataloader

val_evaluator = [
    dict(
        type='CocoPanopticMetric',
        ann_file=data_root + 'annotations/panoptic_val2017.json',
        seg_prefix=data_root + 'annotations/panoptic_val2017/',
    ),
    _base_.val_evaluator,
]
test_evaluator = val_evaluator
