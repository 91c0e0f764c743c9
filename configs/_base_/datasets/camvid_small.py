"""CamVid at half its size, 240 x 180 pixels with crops of 160 x 160, for two CPU cores."""

_base_ = './camvid.py'

load_mask = dict(type='vitbackbones.LoadMask', num_classes=11, ignored=[11])
train_pipeline = [
    dict(type='vitbackbones.LoadImage'),
    load_mask,
    dict(type='RandomResize', scale=(240, 180), ratio_range=(0.75, 1.5), keep_ratio=True),
    dict(type='RandomCrop', crop_size=(160, 160), cat_max_ratio=0.75),
    dict(type='RandomFlip', prob=0.5),
    dict(type='PackSegInputs'),
]
test_pipeline = [
    dict(type='LoadImageFromFile'),
    dict(type='Resize', scale=(240, 180), keep_ratio=True),
    load_mask,  # behind Resize: the answer is compared at full size
    dict(type='PackSegInputs'),
]

train_dataloader = dict(num_workers=1, dataset=dict(pipeline=train_pipeline))
val_dataloader = dict(batch_size=8, num_workers=1, dataset=dict(pipeline=test_pipeline))
test_dataloader = dict(batch_size=8, num_workers=1, dataset=dict(pipeline=test_pipeline))
