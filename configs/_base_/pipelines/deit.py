"""DeiT's augmentation at 224 pixels: RandAugment 9/0.5 and erasing 0.25; evaluation crops 0.875.

timm's color jitter 0.4 stands in the published commands, but timm leaves it out beside RandAugment.
The noise of an erased part is clipped to the colors of a file, which 4 % of it exceeds.

Every step has a name. A file that builds on this one changes a step by its name, and stops with an
error if there is none of that name:

    _base_ = './deit.py'
    train_steps = _base_.train_steps
    train_steps.crop.scale = 384
    train_pipeline = list(train_steps.values())
"""

train_steps = dict(
    load=dict(type='vitbackbones.LoadImage'),
    crop=dict(type='RandomResizedCrop', scale=224, backend='pillow', interpolation='bicubic'),
    flip=dict(type='RandomFlip', prob=0.5, direction='horizontal'),
    augment=dict(
        type='RandAugment',
        policies='timm_increasing',
        num_policies=2,
        magnitude_level=9,
        magnitude_std=0.5,
        total_level=10,
        hparams=dict(pad_val=[104, 116, 124], interpolation='bicubic'),
    ),
    erase=dict(
        type='RandomErasing',
        erase_prob=0.25,
        mode='rand',
        min_area_ratio=0.02,
        max_area_ratio=1 / 3,
        fill_color=[103.53, 116.28, 123.675],
        fill_std=[57.375, 57.12, 58.395],
    ),
    pack=dict(type='PackInputs'),
)
test_steps = dict(
    load=dict(type='LoadImageFromFile'),
    resize=dict(
        type='ResizeEdge', scale=256, edge='short', backend='pillow', interpolation='bicubic'
    ),
    crop=dict(type='CenterCrop', crop_size=224),
    pack=dict(type='PackInputs'),
)
train_pipeline = list(train_steps.values())
test_pipeline = list(test_steps.values())
