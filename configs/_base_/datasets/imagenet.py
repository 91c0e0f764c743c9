"""ImageNet-1k in the usual layout under data/imagenet: train/ and val/ with a folder per class.

Recipes add the pipelines; see the files beside this one.
"""

_base_ = './classification_loaders.py'

dataset_type = 'ImageNet'
data_root = 'data/imagenet/'

train_dataloader = dict(
    dataset=dict(type=dataset_type, data_root=data_root, split='train', data_prefix='train')
)
val_dataloader = dict(
    dataset=dict(type=dataset_type, data_root=data_root, split='val', data_prefix='val')
)
test_dataloader = val_dataloader
