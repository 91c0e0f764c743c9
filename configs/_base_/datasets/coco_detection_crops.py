"""COCO 2017 with the pipeline of DETR's own code: 480 to 800 pixels, half of the images cropped.

A cropped image is first resized to a short side of 400, 500 or 600 pixels; the crop has 384 to 600
pixels a side. Images without objects are trained on, too.
"""

_base_ = './coco_detection.py'

final_resize = dict(
    type='RandomChoiceResize',
    scales=[(side, 1333) for side in range(480, 801, 32)],
    keep_ratio=True,
)
first_resize = dict(
    type='RandomChoiceResize', scales=[(side, 4200) for side in (400, 500, 600)], keep_ratio=True
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

train_dataloader = dict(
    dataset=dict(pipeline=train_pipeline, filter_cfg=dict(filter_empty_gt=False))
)
