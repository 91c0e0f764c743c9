"""Six epochs for Shapes, minutes on two CPU cores: warm-up for half an epoch, then a cosine.

Nothing is pretrained, so backbone and head learn at one rate.
"""

optim_wrapper = dict(
    type='OptimWrapper',
    optimizer=dict(type='AdamW', lr=1e-3, weight_decay=1e-2),
    clip_grad=dict(max_norm=5.0, norm_type=2),
)
param_scheduler = [
    dict(type='LinearLR', start_factor=0.01, begin=0, end=60, by_epoch=False),
    dict(
        type='CosineAnnealingLR',
        eta_min_ratio=0.01,
        begin=0,
        end=6,
        T_max=6,
        convert_to_iter_based=True,
    ),
]
train_cfg = dict(type='EpochBasedTrainLoop', max_epochs=6, val_interval=2)
val_cfg = dict(type='ValLoop')
test_cfg = dict(type='TestLoop')
