"""20 000 steps of 16 images for a small data set on one GPU: AdamW, warm-up, polynomial decay.

The rates of SETR's own schedule (SGD) presuppose a pretrained backbone; these also train one from
random weights.
"""

optim_wrapper = dict(
    type='OptimWrapper',
    optimizer=dict(type='AdamW', lr=3e-4, weight_decay=0.05),
    clip_grad=dict(max_norm=1.0, norm_type=2),
)
param_scheduler = [
    dict(type='LinearLR', start_factor=0.01, begin=0, end=500, by_epoch=False),
    dict(
        type='vitbackbones.PolyLR',
        eta_min_ratio=1 / 300,
        power=0.9,
        begin=500,
        end=20000,
        by_epoch=False,
    ),
]
train_cfg = dict(type='IterBasedTrainLoop', max_iters=20000, val_interval=1000)
val_cfg = dict(type='ValLoop')
test_cfg = dict(type='TestLoop')
