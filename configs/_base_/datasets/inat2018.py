"""iNaturalist 2018 under data/inat2018 (train_val2018/, train2018.json, val2018.json), 224 pixels.

Augmented as for DeiT on ImageNet, each image three times.
"""

_base_ = ['./classification_loaders.py', '../pipelines/deit.py']

data_root = 'data/inat2018/'

train_dataloader = dict(
    batch_size=96,
    dataset=dict(
        type='vitbackbones.INaturalist',
        data_root=data_root,
        ann_file='train2018.json',
        pipeline=_base_.train_pipeline,
    ),
)
val_dataloader = dict(
    dataset=dict(
        type='vitbackbones.INaturalist',
        data_root=data_root,
        ann_file='val2018.json',
        pipeline=_base_.test_pipeline,
    ),
)
test_dataloader = val_dataloader
