"""DeiT's 300 epochs at batch 1024: AdamW 1e-3, warm-up of 5 epochs from 1e-6, cosine to 1e-5.

The rate changes once an epoch and is timm's after the warm-up: the cosine counts from epoch 0, so
that it has begun to fall when the warm-up ends. Here it multiplies the warm-up as well (timm's is
straight), which takes up to 0.05 % off it: 0.21 % where T2T warms up for ten epochs, 0.62 % in
TNT's runs on CIFAR, 2.3 % in SReT's 30 epochs. DeiT's lags an epoch.

Vectors (norms, biases), tokens and positions are not decayed.
``auto_scale_lr`` names the batch size the rate is meant for and changes nothing until it is
switched on (``auto_scale_lr.enable=True``). Both ends are parts of the rate and scale with it; in
DeiT's script they do not.
"""

optim_wrapper = dict(
    type='OptimWrapper',
    optimizer=dict(type='AdamW', lr=1e-3, weight_decay=0.05),
    paramwise_cfg=dict(
        flat_decay_mult=0.0,
        custom_keys={
            key: dict(decay_mult=0.0)
            for key in (
                *('cls_token', 'dist_token', 'pos_embed'),
                *('patch_pos', 'pixel_pos', '.shortcut_'),
            )
        },
    ),
)
param_scheduler = [
    dict(type='LinearLR', start_factor=1e-3, begin=0, end=6),
    # Epoch 300 is at 1e-5 exactly, for the schedules that go on from there.
    dict(type='CosineAnnealingLR', eta_min_ratio=0.01, begin=0, end=301, T_max=300),
]
train_cfg = dict(type='EpochBasedTrainLoop', max_epochs=300, val_interval=1)
val_cfg = dict(type='ValLoop')
test_cfg = dict(type='TestLoop')
auto_scale_lr = dict(enable=False, base_batch_size=1024)
