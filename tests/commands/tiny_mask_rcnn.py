# ruff: noqa: C408
"""The smallest Mask R-CNN: boxes and masks of Shapes."""

_base_ = '../../configs/_base_/models/mask_rcnn.py'

default_scope = 'mmdet'
custom_imports = dict(imports=['vitbackbones'])
data_root = 'data/'
width = 16
arch = dict(
    depths=(1, 1, 1, 1),
    embed_dims=(16, 16, 32, 32),
    num_heads=(1, 1, 2, 2),
    mlp_ratios=(4, 4, 4, 4),
    sr_ratios=(8, 4, 2, 1),
)
extractor = dict(out_channels=width)
model = dict(
    backbone=dict(type='vitbackbones.PVT', arch=arch, img_size=64),
    neck=dict(out_channels=width),
    rpn_head=dict(in_channels=width, feat_channels=width),
    roi_head=dict(
        bbox_roi_extractor=extractor,
        bbox_head=dict(in_channels=width, fc_out_channels=32, num_classes=3),
        mask_roi_extractor=extractor,
        mask_head=dict(num_convs=1, in_channels=width, conv_out_channels=width, num_classes=3),
    ),
    test_cfg=dict(rcnn=dict(score_thr=0.0, max_per_img=10)),
)

load = dict(type='vitbackbones.LoadImage')
annotations = dict(type='LoadAnnotations', with_bbox=True, with_mask=True)
resize = dict(type='Resize', scale=(64, 64), keep_ratio=True)
train_pipeline = [load, annotations, resize, dict(type='PackDetInputs')]
test_pipeline = [load, resize, annotations, dict(type='PackDetInputs')]
loader = dict(batch_size=2, num_workers=0, sampler=dict(type='DefaultSampler', shuffle=False))
dataset = dict(
    type='CocoDataset',
    data_root=data_root,
    metainfo=dict(classes=('circle', 'square', 'triangle')),
)
train_dataloader = dict(
    **loader,
    dataset=dict(
        **dataset,
        ann_file='annotations/instances_train.json',
        data_prefix=dict(img='images/train/'),
        pipeline=train_pipeline,
    ),
)
val_dataloader = dict(
    **loader,
    dataset=dict(
        **dataset,
        ann_file='annotations/instances_val.json',
        data_prefix=dict(img='images/val/'),
        pipeline=test_pipeline,
        test_mode=True,
    ),
)
test_dataloader = val_dataloader
val_evaluator = dict(
    type='CocoMetric',
    ann_file=data_root + 'annotations/instances_val.json',
    metric=['bbox', 'segm'],
)
test_evaluator = val_evaluator

optim_wrapper = dict(type='OptimWrapper', optimizer=dict(type='AdamW', lr=1e-3))
train_cfg = dict(type='EpochBasedTrainLoop', max_epochs=1)
val_cfg = dict(type='ValLoop')
test_cfg = dict(type='TestLoop')
env_cfg = dict(mp_cfg=dict(mp_start_method='fork', opencv_num_threads=0))
randomness = dict(seed=0)
