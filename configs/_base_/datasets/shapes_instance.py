"""Shapes with a mask for each object: ``python -m vitbackbones.data.shapes data/shapes``."""

_base_ = './shapes_detection.py'

train_steps = _base_.train_steps
train_steps.annotations.with_mask = True
train_pipeline = list(train_steps.values())
test_steps = _base_.test_steps
test_steps.annotations.with_mask = True
test_pipeline = list(test_steps.values())

train_dataloader = dict(dataset=dict(pipeline=train_pipeline))
val_dataloader = dict(dataset=dict(pipeline=test_pipeline))
test_dataloader = val_dataloader

val_evaluator = dict(metric=['bbox', 'segm'])
test_evaluator = val_evaluator
