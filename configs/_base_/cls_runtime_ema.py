"""Runtime of classification with an average of the weights (decay 0.99996), which is evaluated.

A checkpoint has it as ``state_dict``, which inference and later runs take, and the last weights as
``last_state_dict`` (to start from these: ``init_cfg.state_key='last_state_dict'``).
"""

_base_ = './cls_runtime.py'

default_hooks = dict(ema=dict(type='vitbackbones.EMAHook', momentum=4e-5))
