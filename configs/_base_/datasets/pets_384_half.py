"""Oxford-IIIT Pets at 384 pixels under data/pets (images/, annotations/).

Augmented as for TNT on ImageNet, each image three times; trained on trainval, 3680 images.
"""

_base_ = ['./classification_loaders.py', '../pipelines/half_384.py']

data_root = 'data/pets/'

train_dataloader = dict(
    batch_size=16,
    dataset=dict(
        type='OxfordIIITPet', data_root=data_root, split='trainval', pipeline=_base_.train_pipeline
    ),
)
val_dataloader = dict(
    batch_size=64,
    dataset=dict(
        type='OxfordIIITPet', data_root=data_root, split='test', pipeline=_base_.test_pipeline
    ),
)
test_dataloader = val_dataloader
