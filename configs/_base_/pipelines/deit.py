"""DeiT's augmentation at 224 pixels, RandAugment 9/0.5; evaluation crops 0.875.

timm's color jitter 0.4 stands in the published commands, but timm leaves it out beside RandAugment.
Images stay at 8 bits here. The model's data preprocessor normalizes, erases (in the published code
a step of this pipeline; models/classifier_erase_first.py) and mixes them.

Large JPEGs are decoded at a half of their sides or less where a crop is at least twice as large as
what comes out. Pixels then differ a little; for those of a full decoding:

    train_steps = _base_.train_steps
    train_steps.load.decode = 'full'
    train_pipeline = list(train_steps.values())

Every step has a name. A file that builds on this one changes a step by its name, and stops with an
error if there is none of that name:

    _base_ = './deit.py'
    train_steps = _base_.train_steps
    train_steps.crop.scale = 384
    train_pipeline = list(train_steps.values())
"""

train_steps = dict(
    load=dict(type='vitbackbones.LoadImage', decode='reduced'),
    crop=dict(type='vitbackbones.RandomResizedCrop', scale=224, interpolation='bicubic'),
    flip=dict(type='vitbackbones.RandomFlip', prob=0.5),
    augment=dict(
        type='vitbackbones.RandAugment',
        policies='timm_increasing',
        num_policies=2,
        magnitude_level=9,
        magnitude_std=0.5,
        total_level=10,
        hparams=dict(pad_val=[104, 116, 124], interpolation='bicubic'),
    ),
    planes=dict(type='vitbackbones.ToPlanes'),
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
