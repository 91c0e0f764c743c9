"""Fashion-MNIST (Xiao et al., 2017), 70,000 gray pictures of 28 x 28 pixels in ten classes.

The four files as they are published lie in the data root; Debian's dataset-fashion-mnist has them,
too. Val is the last 5,000 of the 60,000 training pictures, which train leaves out. They are
decoded in memory, so the process that trains reads them itself.
"""

dataset_type = 'vitbackbones.IdxPictures'
data_root = 'data/fashion_mnist/'
train_files = dict(images='train-images-idx3-ubyte.gz', labels='train-labels-idx1-ubyte.gz')
test_files = dict(images='t10k-images-idx3-ubyte.gz', labels='t10k-labels-idx1-ubyte.gz')
metainfo = dict(
    classes=(
        'T-shirt/top',
        'Trouser',
        'Pullover',
        'Dress',
        'Coat',
        'Sandal',
        'Shirt',
        'Sneaker',
        'Bag',
        'Ankle boot',
    ),
)
train_pipeline = [dict(type='PackInputs')]
test_pipeline = train_pipeline

train_dataloader = dict(
    batch_size=64,
    num_workers=0,
    sampler=dict(type='InfiniteSampler', shuffle=True),
    dataset=dict(
        type=dataset_type,
        data_root=data_root,
        data_prefix=train_files,
        metainfo=metainfo,
        indices=55000,
        pipeline=train_pipeline,
    ),
)
val_dataloader = dict(
    batch_size=500,
    num_workers=0,
    sampler=dict(type='DefaultSampler', shuffle=False),
    dataset=dict(
        type=dataset_type,
        data_root=data_root,
        data_prefix=train_files,
        metainfo=metainfo,
        indices=-5000,
        pipeline=test_pipeline,
    ),
)
test_dataloader = dict(
    batch_size=500,
    num_workers=0,
    sampler=dict(type='DefaultSampler', shuffle=False),
    dataset=dict(
        type=dataset_type,
        data_root=data_root,
        data_prefix=test_files,
        metainfo=metainfo,
        pipeline=test_pipeline,
    ),
)

val_evaluator = dict(type='Accuracy', topk=(1,))
test_evaluator = val_evaluator
