"""The same with an average of the weights (decay 0.99996) kept aside: the last ones are evaluated.

For DeiT's runs, which keep the average and report the last weights, and for runs so short that the
average remembers the random head. A checkpoint holds the average as
``state_dict``; ``init_cfg.state_key='ema_state_dict'`` starts a later run from the last weights.
"""

_base_ = './cls_runtime.py'

default_hooks = dict(
    ema=dict(type='EMAHook', momentum=4e-5, evaluate_on_ema=False, evaluate_on_origin=True)
)
