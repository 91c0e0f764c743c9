"""BCCD at 256 x 192 pixels, for two CPU cores."""

_base_ = './bccd_detection.py'

train_steps = _base_.train_steps
train_steps.resize = dict(type='Resize', scale=(256, 192), keep_ratio=True)
train_pipeline = list(train_steps.values())
test_steps = _base_.test_steps
test_steps.resize.scale = (256, 192)
test_pipeline = list(test_steps.values())

train_dataloader = dict(batch_size=8, num_workers=1, dataset=dict(pipeline=train_pipeline))
val_dataloader = dict(batch_size=8, num_workers=1, dataset=dict(pipeline=test_pipeline))
test_dataloader = val_dataloader
