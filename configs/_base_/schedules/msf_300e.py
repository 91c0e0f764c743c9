"""MSF's recipe of 100 epochs stretched to 300."""

_base_ = './msf_100e.py'

param_scheduler = [
    dict(type='LinearLR', start_factor=0.033, begin=0, end=11),
    dict(type='CosineAnnealingLR', begin=10, end=300, T_max=290),
]
train_cfg = dict(max_epochs=300)
