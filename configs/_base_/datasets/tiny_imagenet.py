"""Tiny-ImageNet: 100,000 training and 10,000 validation pictures of 64 x 64, 200 classes.

FOLDER/train/<class>/images/*.JPEG
FOLDER/val/images/*.JPEG with FOLDER/val/val_annotations.txt, or FOLDER/val/<class>/*.JPEG
"""

dataset_type = 'vitbackbones.TinyImageNet'
data_root = 'data/tiny-imagenet-200/'

train_steps = dict(
    load=dict(type='vitbackbones.LoadImage'),
    crop=dict(
        type='vitbackbones.RandomResizedCrop',
        scale=64,
        crop_ratio_range=(0.35, 1.0),
        interpolation='bicubic',
    ),
    flip=dict(type='RandomFlip', prob=0.5, direction='horizontal'),
    pack=dict(type='PackInputs'),
)
test_steps = dict(load=dict(type='vitbackbones.LoadImage'), pack=dict(type='PackInputs'))
train_pipeline = list(train_steps.values())
test_pipeline = list(test_steps.values())

train_dataloader = dict(
    batch_size=128,
    num_workers=1,
    persistent_workers=True,
    sampler=dict(type='DefaultSampler', shuffle=True),
    dataset=dict(
        type=dataset_type,
        data_root=data_root,
        data_prefix=dict(img_path='train'),
        pipeline=train_pipeline,
    ),
)
val_dataloader = dict(
    batch_size=250,
    num_workers=1,
    sampler=dict(type='DefaultSampler', shuffle=False),
    dataset=dict(
        type=dataset_type,
        data_root=data_root,
        data_prefix=dict(img_path='val'),
        pipeline=test_pipeline,
    ),
)
test_dataloader = val_dataloader

val_evaluator = dict(type='Accuracy', topk=(1, 5))
test_evaluator = val_evaluator
