# ruff: noqa: C408
"""The smallest DETR that trains: one step takes a fraction of a second on one core."""

default_scope = 'mmdet'
custom_imports = dict(imports=['vitbackbones'])
data_root = 'data/'
dims = 32
attention = dict(embed_dims=dims, num_heads=2, batch_first=True)
ffn = dict(embed_dims=dims, feedforward_channels=dims)

model = dict(
    type='vitbackbones.DETR',
    num_queries=5,
    data_preprocessor=dict(type='DetDataPreprocessor', mean=[128.0] * 3, std=[64.0] * 3),
    backbone=dict(
        type='vitbackbones.AugViT',
        arch=dict(embed_dims=dims, depth=1, num_heads=2),
        img_size=64,
        init_cfg=dict(
            type='Pretrained', checkpoint='checkpoints/tiny.pth', allow_missing=['*.shortcut_*']
        ),
    ),
    neck=dict(
        type='ChannelMapper', in_channels=[dims], kernel_size=1, out_channels=dims, num_outs=1
    ),
    encoder=dict(num_layers=1, layer_cfg=dict(self_attn_cfg=attention, ffn_cfg=ffn)),
    decoder=dict(
        num_layers=1,
        return_intermediate=True,
        layer_cfg=dict(self_attn_cfg=attention, cross_attn_cfg=attention, ffn_cfg=ffn),
    ),
    positional_encoding=dict(num_feats=dims // 2, normalize=True),
    bbox_head=dict(
        type='DETRHead',
        num_classes=3,
        embed_dims=dims,
        loss_cls=dict(type='CrossEntropyLoss', bg_cls_weight=0.1, class_weight=1.0),
        loss_bbox=dict(type='L1Loss', loss_weight=5.0),
        loss_iou=dict(type='GIoULoss', loss_weight=2.0),
    ),
    train_cfg=dict(
        assigner=dict(
            type='HungarianAssigner',
            match_costs=[
                dict(type='ClassificationCost', weight=1.0),
                dict(type='BBoxL1Cost', weight=5.0, box_format='xywh'),
                dict(type='IoUCost', iou_mode='giou', weight=2.0),
            ],
        )
    ),
    test_cfg=dict(max_per_img=5),
)

pipeline = [
    dict(type='vitbackbones.LoadImage'),
    dict(type='Resize', scale=(64, 64), keep_ratio=True),
    dict(type='LoadAnnotations', with_bbox=True),
    dict(type='PackDetInputs'),
]
dataset = dict(
    type='CocoDataset',
    data_root=data_root,
    metainfo=dict(classes=('circle', 'square', 'triangle')),
    pipeline=pipeline,
)
train_dataloader = dict(
    batch_size=2,
    num_workers=0,
    sampler=dict(type='DefaultSampler', shuffle=True),
    dataset=dict(
        dataset, ann_file='annotations/instances_train.json', data_prefix=dict(img='images/train/')
    ),
)
files = dict(ann_file='annotations/instances_val.json', data_prefix=dict(img='images/val/'))
val_dataloader = dict(
    train_dataloader,
    sampler=dict(type='DefaultSampler', shuffle=False),
    dataset=dict(dataset, **files, test_mode=True),
)
test_dataloader = val_dataloader
val_evaluator = dict(
    type='CocoMetric', ann_file=data_root + 'annotations/instances_val.json', metric='bbox'
)
test_evaluator = val_evaluator

optim_wrapper = dict(
    type='OptimWrapper',
    optimizer=dict(type='AdamW', lr=1e-3),
    paramwise_cfg=dict(custom_keys={'backbone': dict(lr_mult=0.1)}),
)
param_scheduler = [
    dict(type='LinearLR', start_factor=0.1, by_epoch=False, begin=0, end=6),
    dict(type='MultiStepLR', by_epoch=True, milestones=[2]),
]
train_cfg = dict(type='EpochBasedTrainLoop', max_epochs=2, val_interval=2)
val_cfg = dict(type='ValLoop')
test_cfg = dict(type='TestLoop')
default_hooks = dict(
    logger=dict(type='LoggerHook', interval=1),
    checkpoint=dict(type='CheckpointHook', interval=1, max_keep_ckpts=1),
)
env_cfg = dict(mp_cfg=dict(mp_start_method='fork', opencv_num_threads=0))
randomness = dict(seed=0)
