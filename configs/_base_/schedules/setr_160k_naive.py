"""SETR's ADE20K schedule at the rate of Naive, 1e-2."""

_base_ = './setr_160k.py'

optim_wrapper = dict(optimizer=dict(lr=1e-2))
