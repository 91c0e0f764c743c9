# ruff: noqa: C408
"""The smallest segmentor that trains: one step takes a fraction of a second on one core."""

default_scope = 'mmseg'
custom_imports = dict(imports=['vitbackbones'])
data_root = 'data/'
dims = 32
size = (64, 64)

model = dict(
    type='EncoderDecoder',
    data_preprocessor=dict(
        type='SegDataPreProcessor', mean=[128.0] * 3, std=[64.0] * 3, size=size, seg_pad_val=255
    ),
    backbone=dict(
        type='vitbackbones.MSFViT',
        arch=dict(embed_dims=dims, depth=1, num_heads=2),
        patch_size=8,
        img_size=64,
    ),
    decode_head=dict(
        type='FCNHead',
        in_channels=dims,
        channels=dims,
        num_convs=1,
        dropout_ratio=0.0,
        norm_cfg=dict(type='BN'),
        num_classes=4,
    ),
    test_cfg=dict(mode='slide', crop_size=size, stride=(43, 43)),
)

train_pipeline = [
    dict(type='vitbackbones.LoadImage'),
    dict(type='vitbackbones.LoadMask', num_classes=4),
    dict(type='RandomResize', scale=(256, 64), ratio_range=(0.5, 2.0), keep_ratio=True),
    dict(type='RandomCrop', crop_size=size, cat_max_ratio=0.75),
    dict(type='RandomFlip', prob=0.5),
    dict(type='PackSegInputs'),
]
test_pipeline = [
    dict(type='LoadImageFromFile'),
    dict(type='Resize', scale=(256, 64), keep_ratio=True),
    dict(type='vitbackbones.LoadMask', num_classes=4),
    dict(type='PackSegInputs'),
]
metainfo = dict(
    classes=('ground', 'circle', 'square', 'triangle'),
    palette=[[90, 90, 90], [230, 159, 0], [86, 180, 233], [0, 158, 115]],
)
dataset = dict(
    type='BaseSegDataset',
    data_root=data_root,
    data_prefix=dict(img_path='images/train', seg_map_path='annotations/train'),
    metainfo=metainfo,
    reduce_zero_label=True,
    pipeline=train_pipeline,
)
train_dataloader = dict(
    batch_size=2, num_workers=0, sampler=dict(type='InfiniteSampler', shuffle=True), dataset=dataset
)
folders = dict(img_path='images/val', seg_map_path='annotations/val')
val_dataloader = dict(
    batch_size=1,
    num_workers=0,
    sampler=dict(type='DefaultSampler', shuffle=False),
    dataset=dict(dataset, data_prefix=folders, pipeline=test_pipeline, test_mode=True),
)
test_dataloader = val_dataloader
val_evaluator = dict(type='IoUMetric', iou_metrics=['mIoU'])
test_evaluator = val_evaluator

optim_wrapper = dict(type='OptimWrapper', optimizer=dict(type='AdamW', lr=1e-3))
train_cfg = dict(type='IterBasedTrainLoop', max_iters=6, val_interval=6)
val_cfg = dict(type='ValLoop')
test_cfg = dict(type='TestLoop')
default_hooks = dict(
    logger=dict(type='LoggerHook', interval=1),
    checkpoint=dict(type='CheckpointHook', interval=6, by_epoch=False),
)
log_processor = dict(by_epoch=False)
env_cfg = dict(mp_cfg=dict(mp_start_method='fork', opencv_num_threads=0))
randomness = dict(seed=0)
