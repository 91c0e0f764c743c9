"""CamVid as the quick segmentor reads pictures: about 240 pixels, crops of 160 x 160."""

_base_ = './camvid.py'

train_steps = _base_.train_steps
train_steps.resize.scale = (240, 240)
train_steps.crop.crop_size = (160, 160)
del train_steps.color
train_pipeline = list(train_steps.values())
test_steps = _base_.test_steps
test_steps.resize.scale = (240, 240)
test_pipeline = list(test_steps.values())

train_dataloader = dict(batch_size=4, num_workers=2, dataset=dict(pipeline=train_pipeline))
val_dataloader = dict(dataset=dict(pipeline=test_pipeline))
test_dataloader = val_dataloader
