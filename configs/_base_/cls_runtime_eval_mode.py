"""Runtime of classification that trains with the model in eval mode."""

_base_ = './cls_runtime.py'

default_hooks = dict(eval_mode=dict(type='vitbackbones.EvalModeHook'))
