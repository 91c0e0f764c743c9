"""ImageNet-1k as TNT and Aug-ViT augment it: DeiT's way with a random interpolation.

Noise and padding are centred on grey, as mean and std are 0.5; evaluation crops 0.9 of the image.
RandAugment's own interpolation, drawn from the two as well in the published code, is bicubic here.
"""

_base_ = './imagenet.py'

train_pipeline = [
    dict(type='vitbackbones.LoadImage'),
    dict(
        type='RandomChoice',  # another interpolation for each image
        transforms=[
            [dict(type='RandomResizedCrop', scale=224, backend='pillow', interpolation=kind)]
            for kind in ('bilinear', 'bicubic')
        ],
    ),
    dict(type='RandomFlip', prob=0.5, direction='horizontal'),
    dict(
        type='RandAugment',
        policies='timm_increasing',
        num_policies=2,
        magnitude_level=9,
        magnitude_std=0.5,
        total_level=10,
        hparams=dict(pad_val=[128, 128, 128], interpolation='bicubic'),
    ),
    dict(
        type='RandomErasing',
        erase_prob=0.25,
        mode='rand',
        min_area_ratio=0.02,
        max_area_ratio=1 / 3,
        fill_color=[127.5] * 3,
        fill_std=[127.5] * 3,
    ),
    dict(type='PackInputs'),
]
test_pipeline = [
    dict(type='LoadImageFromFile'),
    dict(type='ResizeEdge', scale=248, edge='short', backend='pillow', interpolation='bicubic'),
    dict(type='CenterCrop', crop_size=224),
    dict(type='PackInputs'),
]

train_dataloader = dict(dataset=dict(pipeline=train_pipeline))
val_dataloader = dict(dataset=dict(pipeline=test_pipeline))
test_dataloader = val_dataloader
