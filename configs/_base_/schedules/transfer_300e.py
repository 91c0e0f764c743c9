"""TNT's fine-tuning on fine-grained data: as transfer_64e, 300 epochs."""

_base_ = './transfer_64e.py'

param_scheduler = [
    dict(type='LinearLR', start_factor=0.02, begin=0, end=6),
    dict(type='CosineAnnealingLR', eta_min_ratio=0.2, begin=0, end=300, T_max=300),
]
train_cfg = dict(max_epochs=300, val_interval=10)
