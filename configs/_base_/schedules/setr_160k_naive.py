"""SETR's ADE20K schedule at the rate of Naive, 1e-2."""

_base_ = './setr_160k.py'

optim_wrapper = dict(optimizer=dict(lr=1e-2))
param_scheduler = [
    dict(
        type='vitbackbones.PolyLR',
        eta_min_ratio=0.01,
        power=0.9,
        begin=0,
        end=160000,
        by_epoch=False,
    )
]
