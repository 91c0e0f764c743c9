"""MSF's 100 epochs at batch 1024: AdamW 1e-3, warm-up of 10 epochs from 0.033 of it, cosine to 0.

The rate changes once an epoch. Everything is decayed, norms and biases too.
"""

optim_wrapper = dict(
    type='OptimWrapper',
    optimizer=dict(type='AdamW', lr=1e-3, weight_decay=0.05),
    clip_grad=dict(max_norm=1.0),
)
param_scheduler = [
    dict(type='LinearLR', start_factor=0.033, begin=0, end=11),
    dict(type='CosineAnnealingLR', begin=10, end=100, T_max=90),
]
train_cfg = dict(type='EpochBasedTrainLoop', max_epochs=100, val_interval=1)
val_cfg = dict(type='ValLoop')
test_cfg = dict(type='TestLoop')
auto_scale_lr = dict(enable=False, base_batch_size=1024)
