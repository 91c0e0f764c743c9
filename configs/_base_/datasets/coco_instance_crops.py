"""COCO 2017 with masks and crops, as Swin's published Mask R-CNN; AP of boxes and of masks.

The crops are DETR's, but for a long side of at most 1333 pixels before them.
"""

_base_ = './coco_instance_1x.py'

final_resize = dict(
    type='RandomChoiceResize',
    scales=[(side, 1333) for side in range(480, 801, 32)],
    keep_ratio=True,
)
first_resize = dict(
    type='RandomChoiceResize', scales=[(side, 1333) for side in (400, 500, 600)], keep_ratio=True
)
crop = dict(
    type='RandomCrop',
    crop_type='absolute_range',
    crop_size=(384, 600),
    allow_negative_crop=True,
)
train_steps = _base_.train_steps
train_steps.resize = dict(
    type='RandomChoice', transforms=[[final_resize], [first_resize, crop, final_resize]]
)
train_pipeline = list(train_steps.values())

train_dataloader = dict(dataset=dict(pipeline=train_pipeline))
