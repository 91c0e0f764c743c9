"""The default runtime for mmseg: its scope and visualizer, iterations instead of epochs.

``sync_bn`` makes the BatchNorms of a model SyncBatchNorms, the published ones, in runs of several
processes, where they mean something.
"""

_base_ = './default_runtime.py'

default_scope = 'mmseg'
default_hooks = dict(
    logger=dict(log_metric_by_epoch=False),
    checkpoint=dict(by_epoch=False, interval=16000, save_best='mIoU'),
    visualization=dict(type='SegVisualizationHook'),
)
visualizer = dict(type='SegLocalVisualizer')
log_processor = dict(by_epoch=False)
sync_bn = 'torch'
tta_model = dict(type='SegTTAModel')  # of test --tta
