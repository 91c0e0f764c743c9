"""18 epochs for Shapes, minutes on two CPU cores: warm-up for one epoch, then a cosine.

Nothing is pretrained, so backbone and DETR learn at one rate.
"""

optim_wrapper = dict(
    type='OptimWrapper',
    optimizer=dict(type='AdamW', lr=5e-4, weight_decay=1e-4),
    clip_grad=dict(max_norm=0.1, norm_type=2),
)
param_scheduler = [
    dict(type='LinearLR', start_factor=0.01, begin=0, end=1, convert_to_iter_based=True),
    dict(
        type='CosineAnnealingLR',
        eta_min_ratio=0.01,
        begin=1,
        end=18,
        T_max=17,
        convert_to_iter_based=True,
    ),
]
train_cfg = dict(type='EpochBasedTrainLoop', max_epochs=18, val_interval=6)
val_cfg = dict(type='ValLoop')
test_cfg = dict(type='TestLoop')
