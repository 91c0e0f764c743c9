"""DeiT's augmentation at 224 pixels: RandAugment 9/0.5 and erasing 0.25; evaluation crops 0.875.

timm's color jitter 0.4 stands in the published commands, but timm leaves it out beside RandAugment.
The noise of an erased part is clipped to the colors of a file, which 4 % of it exceeds.
"""

train_pipeline = [
    dict(type='vitbackbones.LoadImage'),
    dict(type='RandomResizedCrop', scale=224, backend='pillow', interpolation='bicubic'),
    dict(type='RandomFlip', prob=0.5, direction='horizontal'),
    dict(
        type='RandAugment',
        policies='timm_increasing',
        num_policies=2,
        magnitude_level=9,
        magnitude_std=0.5,
        total_level=10,
        hparams=dict(pad_val=[104, 116, 124], interpolation='bicubic'),
    ),
    dict(
        type='RandomErasing',
        erase_prob=0.25,
        mode='rand',
        min_area_ratio=0.02,
        max_area_ratio=1 / 3,
        fill_color=[103.53, 116.28, 123.675],
        fill_std=[57.375, 57.12, 58.395],
    ),
    dict(type='PackInputs'),
]
test_pipeline = [
    dict(type='LoadImageFromFile'),
    dict(type='ResizeEdge', scale=256, edge='short', backend='pillow', interpolation='bicubic'),
    dict(type='CenterCrop', crop_size=224),
    dict(type='PackInputs'),
]
