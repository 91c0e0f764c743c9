"""Shapes, 2000 + 500 drawn images: ``python -m vitbackbones.data.shapes data/shapes``.

The masks are numbered as ADE20K's: 0 is ignored (thin lines on the ground), then the classes.
"""

_base_ = './segmentation_loaders.py'

dataset_type = 'BaseSegDataset'
data_root = 'data/shapes/'
metainfo = dict(
    classes=('ground', 'circle', 'square', 'triangle'),
    palette=[[90, 90, 90], [230, 159, 0], [86, 180, 233], [0, 158, 115]],
)

train_steps = dict(
    load=dict(type='vitbackbones.LoadImage'),
    load_mask=dict(type='vitbackbones.LoadMask', num_classes=4),
    resize=dict(type='RandomResize', scale=(128, 128), ratio_range=(0.8, 1.25), keep_ratio=True),
    crop=dict(type='RandomCrop', crop_size=(128, 128)),
    flip=dict(type='RandomFlip', prob=0.5),  # sideways only: triangles point up
    pack=dict(type='PackSegInputs'),
)
test_steps = dict(
    load=dict(type='LoadImageFromFile'),
    resize=dict(type='Resize', scale=(128, 128), keep_ratio=True),
    load_mask=dict(type='vitbackbones.LoadMask', num_classes=4),  # behind Resize: never resized
    pack=dict(type='PackSegInputs'),
)
train_pipeline = list(train_steps.values())
test_pipeline = list(test_steps.values())

train_dataloader = dict(
    batch_size=16,
    num_workers=1,
    dataset=dict(
        type=dataset_type,
        data_root=data_root,
        metainfo=metainfo,
        data_prefix=dict(img_path='images/train', seg_map_path='annotations/train'),
        reduce_zero_label=True,
        pipeline=train_pipeline,
    ),
)
val_dataloader = dict(
    batch_size=16,
    num_workers=1,
    dataset=dict(
        type=dataset_type,
        data_root=data_root,
        metainfo=metainfo,
        data_prefix=dict(img_path='images/val', seg_map_path='annotations/val'),
        reduce_zero_label=True,
        test_mode=True,
        pipeline=test_pipeline,
    ),
)
test_dataloader = val_dataloader
