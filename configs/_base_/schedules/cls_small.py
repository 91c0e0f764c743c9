"""3 epochs for small pictures, a minute on one CPU core: warm-up for one epoch, then a cosine."""

_base_ = './cls_shapes.py'

param_scheduler = [
    dict(type='LinearLR', start_factor=0.01, begin=0, end=1, convert_to_iter_based=True),
    dict(
        type='CosineAnnealingLR',
        eta_min_ratio=0.01,
        begin=1,
        end=3,
        T_max=2,
        convert_to_iter_based=True,
    ),
]
train_cfg = dict(max_epochs=3)
