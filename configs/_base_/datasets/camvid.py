"""CamVid in SegNet's 11 classes under data/camvid: 367 + 101 + 233 frames of 480 x 360 pixels.

Label 11 of the masks is void and ignored. A training frame is resized to 0.75-1.5 times its size,
cropped to 320 x 320, flipped, and changed in color. val watches the training, test gives the
number.
"""

_base_ = './segmentation_loaders.py'

dataset_type = 'BaseSegDataset'
data_root = 'data/camvid'
crop_size = (320, 320)
metainfo = dict(
    classes=(
        *('sky', 'building', 'pole', 'road', 'pavement', 'tree'),
        *('sign', 'fence', 'car', 'pedestrian', 'bicyclist'),
    ),
    palette=[
        *([128, 128, 128], [128, 0, 0], [192, 192, 128], [128, 64, 128], [60, 40, 222]),
        *([128, 128, 0], [192, 128, 128], [64, 64, 128], [64, 0, 128], [64, 64, 0]),
        [0, 128, 192],
    ],
)
load_mask = dict(type='vitbackbones.LoadMask', num_classes=11, ignored=[11])

train_steps = dict(
    load=dict(type='vitbackbones.LoadImage'),
    load_mask=load_mask,
    resize=dict(type='RandomResize', scale=(480, 360), ratio_range=(0.75, 1.5), keep_ratio=True),
    crop=dict(type='vitbackbones.RandomCrop', crop_size=crop_size, cat_max_ratio=0.75),
    flip=dict(type='RandomFlip', prob=0.5),
    order=dict(type='vitbackbones.InOrder'),
    color=dict(type='vitbackbones.PhotoMetricDistortion'),
    planes=dict(type='vitbackbones.ToPlanes'),
    pack=dict(type='PackSegInputs'),
)
test_steps = dict(
    load=dict(type='LoadImageFromFile'),
    resize=dict(type='Resize', scale=(480, 360), keep_ratio=True),
    load_mask=load_mask,  # behind Resize: never resized
    pack=dict(type='PackSegInputs'),
)
train_pipeline = list(train_steps.values())
test_pipeline = list(test_steps.values())

train_dataloader = dict(
    batch_size=16,
    dataset=dict(
        type=dataset_type,
        data_root=data_root,
        metainfo=metainfo,
        data_prefix=dict(img_path='images/train', seg_map_path='annotations/train'),
        pipeline=train_pipeline,
    ),
)
val_dataloader = dict(
    num_workers=2,
    dataset=dict(
        type=dataset_type,
        data_root=data_root,
        metainfo=metainfo,
        data_prefix=dict(img_path='images/val', seg_map_path='annotations/val'),
        test_mode=True,
        pipeline=test_pipeline,
    ),
)
test_dataloader = dict(
    num_workers=2,
    dataset=dict(
        type=dataset_type,
        data_root=data_root,
        metainfo=metainfo,
        data_prefix=dict(img_path='images/test', seg_map_path='annotations/test'),
        test_mode=True,
        pipeline=test_pipeline,
    ),
)
