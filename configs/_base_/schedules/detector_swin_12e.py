"""Swin's form of the 1x schedule: a decay of 0.05, of neither norms nor position biases."""

_base_ = './detector_12e.py'

optim_wrapper = dict(
    optimizer=dict(weight_decay=0.05),
    paramwise_cfg=dict(
        custom_keys={'norm': dict(decay_mult=0.0), 'bias_table': dict(decay_mult=0.0)}
    ),
)
