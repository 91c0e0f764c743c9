"""CamVid at half its size under data/camvid, in crops of 160 x 160 without changes of color."""

_base_ = './camvid.py'

train_steps = _base_.train_steps
train_steps.resize.scale = (240, 180)
train_steps.crop.crop_size = (160, 160)
del train_steps.color
train_pipeline = list(train_steps.values())
test_steps = _base_.test_steps
test_steps.resize.scale = (240, 180)  # masks are not resized: the answer is compared at full size
test_pipeline = list(test_steps.values())

train_dataloader = dict(num_workers=1, dataset=dict(pipeline=train_pipeline))
val_dataloader = dict(batch_size=8, num_workers=1, dataset=dict(pipeline=test_pipeline))
test_dataloader = val_dataloader
