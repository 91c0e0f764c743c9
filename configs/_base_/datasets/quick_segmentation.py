"""Pictures of your own with masks, of about 240 pixels: ``--data-root`` names them, else Shapes.

Pictures keep their ratio. Those of training are resized to 0.75 to 1.5 times that size, a crop of
160 x 160 is taken, and it is flipped sideways. The answer is compared at the size of the mask.
"""

_base_ = './shapes_segmentation.py'

own_data = True  # Shapes are an example: --data-root is read as it is
scale = (240, 240)
crop_size = (160, 160)
train_steps = _base_.train_steps
train_steps.resize.scale = scale
train_steps.resize.ratio_range = (0.75, 1.5)
train_steps.crop.crop_size = crop_size
train_pipeline = list(train_steps.values())
test_steps = _base_.test_steps
test_steps.resize.scale = scale
test_pipeline = list(test_steps.values())

train_dataloader = dict(batch_size=4, num_workers=2, dataset=dict(pipeline=train_pipeline))
val_dataloader = dict(batch_size=1, num_workers=2, dataset=dict(pipeline=test_pipeline))
test_dataloader = val_dataloader
