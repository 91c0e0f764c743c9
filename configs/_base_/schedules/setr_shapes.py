"""1000 steps (8 passes) for Shapes, minutes on two CPU cores: a short warm-up, then a cosine.

Nothing is pretrained, so backbone and heads learn at one rate.
"""

optim_wrapper = dict(type='OptimWrapper', optimizer=dict(type='AdamW', lr=1e-3, weight_decay=0.05))
param_scheduler = [
    dict(type='LinearLR', start_factor=0.01, begin=0, end=100, by_epoch=False),
    dict(type='CosineAnnealingLR', eta_min_ratio=0.01, begin=100, end=1000, by_epoch=False),
]
train_cfg = dict(type='IterBasedTrainLoop', max_iters=1000, val_interval=250)
val_cfg = dict(type='ValLoop')
test_cfg = dict(type='TestLoop')
