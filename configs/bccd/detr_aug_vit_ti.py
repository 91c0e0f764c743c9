"""A small DETR on a small Aug-ViT, BCCD: the same data on two CPU cores.

Reproduces: nothing published.
Measured: AP 0.112, AP50 0.303 on test (0.114 AP on val); red cells that touch are drawn as
    several overlapping boxes, platelets are mostly missed.
Schedule: 150 epochs of 26 steps at 256 x 192, from the weights that `make demo` leaves.
Hardware: two CPU cores or any GPU; 0.46 s a step on one free core, 30 minutes.

    python tools/train.py configs/bccd/detr_aug_vit_ti.py
"""

_base_ = [
    '../_base_/models/detr_small.py',
    '../_base_/datasets/bccd_detection.py',
    '../_base_/schedules/detr_shapes.py',
    '../_base_/default_runtime.py',
]

model = dict(
    num_queries=40,  # up to 30 cells in an image
    backbone=dict(
        type='vitbackbones.AugViT',
        arch=dict(embed_dims=128, depth=4, num_heads=4),
        img_size=(192, 256),
    ),
    neck=dict(out_strides=[16]),  # the map as it is
    bbox_head=dict(loss_cls=dict(bg_cls_weight=0.1)),
    test_cfg=dict(max_per_img=40),
)

param_scheduler = [
    dict(type='LinearLR', start_factor=0.01, begin=0, end=4, convert_to_iter_based=True),
    dict(
        type='CosineAnnealingLR',
        eta_min_ratio=0.01,
        begin=4,
        end=150,
        T_max=146,
        convert_to_iter_based=True,
    ),
]
train_cfg = dict(max_epochs=150, val_interval=25)
default_hooks = dict(checkpoint=dict(interval=5))
load_from = 'work_dirs/demo/epoch_18.pth'

train_steps = _base_.train_steps
train_steps.resize = dict(type='Resize', scale=(256, 192), keep_ratio=True)
train_pipeline = list(train_steps.values())
test_steps = _base_.test_steps
test_steps.resize.scale = (256, 192)
test_pipeline = list(test_steps.values())

train_dataloader = dict(batch_size=8, num_workers=1, dataset=dict(pipeline=train_pipeline))
val_dataloader = dict(batch_size=8, num_workers=1, dataset=dict(pipeline=test_pipeline))
test_dataloader = val_dataloader
