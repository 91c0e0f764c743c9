"""The same with an average of the weights (decay 0.99996), which is what is evaluated.

A checkpoint then holds the average as ``state_dict``, which later runs start from, and the last
weights as ``ema_state_dict`` (to start from them: ``init_cfg.state_key='ema_state_dict'``).
"""

_base_ = './cls_runtime.py'

default_hooks = dict(ema=dict(type='EMAHook', momentum=4e-5))
