"""SETR-MLA on CamVid, road scenes in eleven classes: a small real data set on one GPU.

Protocol: 20 000 steps at batch 16, AdamW 3e-4; crops of 320 x 320, tested in windows of that size
    at steps of 213. Nothing was published. SETR's own rates (SGD) presuppose a pretrained backbone;
    these also train one from random weights.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the backbone with its weights.
"""

_base_ = [
    '../models/setr_mla.py',
    '../datasets/camvid.py',
    '../segmentation_runtime.py',
]

optim_wrapper = dict(
    type='OptimWrapper',
    optimizer=dict(type='AdamW', lr=3e-4, weight_decay=0.05),
    clip_grad=dict(max_norm=1.0, norm_type=2),
)
param_scheduler = [
    dict(type='LinearLR', start_factor=0.01, begin=0, end=500, by_epoch=False),
    dict(
        type='vitbackbones.PolyLR',
        eta_min_ratio=1 / 300,
        power=0.9,
        begin=500,
        end=20000,
        by_epoch=False,
    ),
]
train_cfg = dict(type='IterBasedTrainLoop', max_iters=20000, val_interval=1000)
val_cfg = dict(type='ValLoop')
test_cfg = dict(type='TestLoop')
model = dict(
    data_preprocessor=dict(size=(320, 320)),
    decode_head=dict(num_classes=11),
    auxiliary_head=dict(num_classes=11),
    test_cfg=dict(crop_size=(320, 320), stride=(213, 213)),
)
default_hooks = dict(checkpoint=dict(interval=1000, max_keep_ckpts=2))
