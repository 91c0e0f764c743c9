"""CIFAR-100 under data/cifar100 (cifar-100-python), otherwise as CIFAR-10."""

_base_ = './cifar10_384.py'

data_root = 'data/cifar100/'

train_dataloader = dict(dataset=dict(type='vitbackbones.CIFAR100', data_root=data_root))
val_dataloader = dict(dataset=dict(type='vitbackbones.CIFAR100', data_root=data_root))
test_dataloader = val_dataloader
