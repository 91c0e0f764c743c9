"""CamVid in SegNet's 11 classes under data/camvid: 367 + 101 + 233 frames of 480 x 360 pixels.

Label 11 of the masks is void and ignored. A training frame is resized to 0.75-1.5 times its size,
cropped to 320 x 320, flipped, and changed in colour. val watches the training, test gives the
number.
"""

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

train_pipeline = [
    dict(type='vitbackbones.LoadImage'),
    load_mask,
    dict(type='RandomResize', scale=(480, 360), ratio_range=(0.75, 1.5), keep_ratio=True),
    dict(type='RandomCrop', crop_size=crop_size, cat_max_ratio=0.75),
    dict(type='RandomFlip', prob=0.5),
    dict(type='PhotoMetricDistortion'),
    dict(type='PackSegInputs'),
]
test_pipeline = [
    dict(type='LoadImageFromFile'),
    dict(type='Resize', scale=(480, 360), keep_ratio=True),
    load_mask,  # behind Resize: never resized
    dict(type='PackSegInputs'),
]

train_dataloader = dict(
    batch_size=16,
    num_workers=4,
    persistent_workers=True,
    sampler=dict(type='InfiniteSampler', shuffle=True),
    dataset=dict(
        type=dataset_type,
        data_root=data_root,
        metainfo=metainfo,
        data_prefix=dict(img_path='images/train', seg_map_path='annotations/train'),
        pipeline=train_pipeline,
    ),
)
val_dataloader = dict(
    batch_size=1,
    num_workers=2,
    persistent_workers=True,
    sampler=dict(type='DefaultSampler', shuffle=False),
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
    batch_size=1,
    num_workers=2,
    persistent_workers=True,
    sampler=dict(type='DefaultSampler', shuffle=False),
    dataset=dict(
        type=dataset_type,
        data_root=data_root,
        metainfo=metainfo,
        data_prefix=dict(img_path='images/test', seg_map_path='annotations/test'),
        test_mode=True,
        pipeline=test_pipeline,
    ),
)

val_evaluator = dict(type='IoUMetric', iou_metrics=['mIoU'])
test_evaluator = val_evaluator
