"""SReT-S's: as sret_300e, at batch 512 and 1e-3."""

_base_ = './sret_300e.py'

optim_wrapper = dict(optimizer=dict(lr=1e-3))
param_scheduler = [
    dict(type='LinearLR', start_factor=1e-3, begin=0, end=31),
    dict(type='CosineAnnealingLR', eta_min_ratio=0.01, begin=0, end=301, T_max=300),
]
auto_scale_lr = dict(base_batch_size=512)
