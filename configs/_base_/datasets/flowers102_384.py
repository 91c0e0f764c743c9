"""Oxford Flowers-102 at 384 pixels under data/flowers102 (jpg/, imagelabels.mat, setid.mat).

Augmented as DeiT augments ImageNet; trained on train + val, 2040 images.
"""

_base_ = ['./classification_loaders.py', '../pipelines/deit_384.py']

data_root = 'data/flowers102/'

train_dataloader = dict(
    batch_size=48,
    dataset=dict(
        type='Flowers102',
        data_root=data_root,
        split='trainval',
        pipeline=_base_.train_pipeline,
    ),
)
val_dataloader = dict(
    batch_size=64,
    dataset=dict(
        type='Flowers102', data_root=data_root, split='test', pipeline=_base_.test_pipeline
    ),
)
test_dataloader = val_dataloader
