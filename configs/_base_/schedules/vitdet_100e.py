"""ViTDet's schedule: 100 epochs of 64 images a step, rates that fall towards the stem.

A block learns at 0.7 times the rate of the next one. The rate is divided by 10 after epochs 89 and
96; a warm-up of 250 steps. Positions, norms and what shortcuts learn are not decayed.
"""

optim_wrapper = dict(
    type='OptimWrapper',
    constructor='vitbackbones.LayerDecayOptimWrapperConstructor',
    optimizer=dict(type='AdamW', lr=1e-4, weight_decay=0.1),
    paramwise_cfg=dict(layer_decay_rate=0.7, norm_decay_mult=0.0),
)
param_scheduler = [
    dict(type='LinearLR', start_factor=0.001, begin=0, end=250, by_epoch=False),
    dict(type='MultiStepLR', begin=0, end=100, by_epoch=True, milestones=[89, 96], gamma=0.1),
]
train_cfg = dict(type='EpochBasedTrainLoop', max_epochs=100, val_interval=5)
val_cfg = dict(type='ValLoop')
test_cfg = dict(type='TestLoop')
auto_scale_lr = dict(enable=False, base_batch_size=64)
