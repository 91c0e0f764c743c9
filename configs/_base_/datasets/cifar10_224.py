"""CIFAR-10 at 224 pixels under data/cifar10, as DeiT augments ImageNet."""

_base_ = ['./classification_loaders.py', '../pipelines/deit.py']

data_root = 'data/cifar10/'

# The data set holds decoded images (BGR, as from files): nothing is loaded.
train_steps = _base_.train_steps
del train_steps.load
train_pipeline = list(train_steps.values())
test_steps = _base_.test_steps
del test_steps.load
test_pipeline = list(test_steps.values())

train_dataloader = dict(
    batch_size=96,
    dataset=dict(
        type='vitbackbones.CIFAR10',
        data_root=data_root,
        split='train',
        download=False,
        pipeline=train_pipeline,
    ),
)
val_dataloader = dict(
    dataset=dict(
        type='vitbackbones.CIFAR10',
        data_root=data_root,
        split='test',
        download=False,
        pipeline=test_pipeline,
    ),
)
test_dataloader = val_dataloader
