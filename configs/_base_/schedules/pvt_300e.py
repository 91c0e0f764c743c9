"""PVT's schedule: DeiT's, but positions are decayed."""

_base_ = './deit_300e.py'

optim_wrapper = dict(paramwise_cfg=dict(custom_keys=dict(pos_embed=dict(decay_mult=1.0))))
