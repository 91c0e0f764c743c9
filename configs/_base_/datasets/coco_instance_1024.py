"""COCO 2017 with masks at 1024 pixels, the scale jittered as in ViTDet; AP of boxes and of masks.

A training image is resized to 0.1-2 times 1024 pixels and cropped to at most 1024 x 1024.
"""

_base_ = './coco_instance_1x.py'

steps = _base_.train_steps
jittered = dict(
    load=steps.load,
    annotations=steps.annotations,
    flip=steps.flip,
    order=steps.order,
    resize=dict(type='RandomResize', scale=(1024, 1024), ratio_range=(0.1, 2.0), keep_ratio=True),
    crop=dict(
        type='RandomCrop',
        crop_type='absolute',
        crop_size=(1024, 1024),
        recompute_bbox=True,
        allow_negative_crop=True,
    ),
    drop=dict(type='FilterAnnotations', min_gt_bbox_wh=(1e-2, 1e-2)),
    planes=steps.planes,
    pack=steps.pack,
)
train_pipeline = list(jittered.values())
train_steps = dict(_delete_=True, **jittered)
test_steps = _base_.test_steps
test_steps.resize.scale = (1024, 1024)
test_pipeline = list(test_steps.values())

train_dataloader = dict(dataset=dict(pipeline=train_pipeline))
val_dataloader = dict(dataset=dict(pipeline=test_pipeline))
test_dataloader = val_dataloader
