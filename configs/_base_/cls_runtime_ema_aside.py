"""Runtime of classification that evaluates the last weights, their average (0.99996) kept aside.

For DeiT's runs, which keep the average and report the last weights, and for runs so short that the
average remembers the random head. A checkpoint has the last weights as ``state_dict``, which
inference and later runs take, and the average as ``averaged_state_dict`` (to start from it:
``init_cfg.state_key='averaged_state_dict'``).
"""

_base_ = './cls_runtime.py'

default_hooks = dict(ema=dict(type='vitbackbones.EMAHook', momentum=4e-5, evaluate='last'))
