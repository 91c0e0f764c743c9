"""The default runtime for mmdet with iterations instead of epochs."""

_base_ = './default_runtime.py'

default_hooks = dict(
    logger=dict(log_metric_by_epoch=False),
    checkpoint=dict(by_epoch=False, interval=5000),
)
log_processor = dict(by_epoch=False)
