"""Pictures of your own with masks of objects, as quick_detection.py has them with boxes.

Boxes are drawn anew around what a crop leaves of a mask; objects without a pixel in it are dropped.
"""

_base_ = './quick_detection.py'

train_steps = _base_.train_steps
train_steps.annotations.with_mask = True
train_steps.crop.recompute_bbox = True
train_steps.filter = dict(type='FilterAnnotations', min_gt_bbox_wh=(1, 1), keep_empty=False)
train_pipeline = [
    train_steps.load,
    train_steps.annotations,
    train_steps.resize,
    train_steps.crop,
    train_steps.flip,
    train_steps.filter,
    train_steps.pack,
]
test_steps = _base_.test_steps
test_steps.annotations.with_mask = True
test_pipeline = list(test_steps.values())

train_dataloader = dict(dataset=dict(pipeline=train_pipeline))
val_dataloader = dict(dataset=dict(pipeline=test_pipeline))
test_dataloader = val_dataloader

val_evaluator = dict(metric=['bbox', 'segm'])
test_evaluator = val_evaluator
