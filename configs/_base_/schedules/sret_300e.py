"""SReT's 300 epochs at batch 1024: AdamW 2e-3, warm-up of 30 epochs from 1e-6, cosine to 1e-5.

The repository's README asks for 0.001 x batch / 512 and 30 epochs of warm-up, and the paper finds
that better than the 0.001 and 5 of its tables. The rest is DeiT's.
"""

_base_ = './deit_300e.py'

optim_wrapper = dict(optimizer=dict(lr=2e-3))
param_scheduler = [
    dict(type='LinearLR', start_factor=5e-4, begin=0, end=31),
    dict(type='CosineAnnealingLR', eta_min_ratio=0.005, begin=0, end=301, T_max=300),
]
