"""1250 steps for CamVid at half its size: that of Shapes, a little longer."""

_base_ = './setr_shapes.py'

param_scheduler = [
    dict(type='LinearLR', start_factor=0.01, begin=0, end=100, by_epoch=False),
    dict(type='CosineAnnealingLR', eta_min_ratio=0.01, begin=100, end=1250, by_epoch=False),
]
train_cfg = dict(max_iters=1250)
