"""The quick detector on mosaics of Tiny-ImageNet, so that its neck and head are pretrained, too.

Reproduces: nothing published.
Schedule: 5000 steps of 4 mosaics of 320 x 320. The backbone learns at a tenth of the rate, because
    it knows its images already.
Weights: sret_quick, in the package. The result is quick_mosaics, which quick_detector starts from.
Hardware: two CPU cores or any GPU; 43 minutes on one core of a machine with other work.

    python -m benchmarks.mosaics data/tiny-imagenet-200 data/mosaics
    python tools/train.py configs/pretrain/quick_detector.py --data-root data/mosaics
"""

_base_ = '../own/quick_detector.py'

load_from = None
optim_wrapper = dict(paramwise_cfg=dict(custom_keys=dict(backbone=dict(lr_mult=0.1))))
param_scheduler = [
    dict(type='LinearLR', start_factor=0.01, begin=0, end=125, by_epoch=False),
    dict(type='CosineAnnealingLR', eta_min_ratio=0.01, begin=125, end=5000, by_epoch=False),
]
train_cfg = dict(max_iters=5000, val_interval=1250)
default_hooks = dict(checkpoint=dict(interval=1250))
