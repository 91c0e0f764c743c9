"""2000 steps of AdamW, minutes on two CPU cores: a short warm-up, then a cosine.

All parts learn at one rate, pretrained or not. Another length, here half:

    --steps 1000
"""

optim_wrapper = dict(
    type='OptimWrapper',
    optimizer=dict(type='AdamW', lr=1e-3, weight_decay=0.05),
    paramwise_cfg=dict(norm_decay_mult=0.0, bias_decay_mult=0.0, bypass_duplicate=True),
    clip_grad=dict(max_norm=10, norm_type=2),
)
param_scheduler = [
    dict(type='LinearLR', start_factor=0.01, begin=0, end=50, by_epoch=False),
    dict(type='CosineAnnealingLR', eta_min_ratio=0.01, begin=50, end=2000, by_epoch=False),
]
train_cfg = dict(type='IterBasedTrainLoop', max_iters=2000, val_interval=500)
val_cfg = dict(type='ValLoop')
test_cfg = dict(type='TestLoop')
