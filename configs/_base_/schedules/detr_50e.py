"""PVT's 50-epoch schedule for DETR: 8 GPUs x 2 images, rate divided by 10 after epoch 33.

Norms and biases are decayed like the rest; what a shortcut learns is not. ``auto_scale_lr`` names
the batch size the rates are meant for and changes nothing until it is switched on
(``auto_scale_lr.enable=True``).
"""

optim_wrapper = dict(
    type='OptimWrapper',
    optimizer=dict(type='AdamW', lr=1e-4, weight_decay=1e-4),
    clip_grad=dict(max_norm=0.1, norm_type=2),
    paramwise_cfg=dict(
        custom_keys={  # parts of names; the longest that fits a parameter decides alone
            'backbone': dict(lr_mult=0.1, decay_mult=1.0),
            '.shortcut': dict(lr_mult=0.1, decay_mult=0.0),  # inside of the backbone
        }
    ),
)
param_scheduler = [
    dict(type='MultiStepLR', begin=0, end=50, by_epoch=True, milestones=[33], gamma=0.1)
]
train_cfg = dict(type='EpochBasedTrainLoop', max_epochs=50, val_interval=1)
val_cfg = dict(type='ValLoop')
test_cfg = dict(type='TestLoop')
auto_scale_lr = dict(enable=False, base_batch_size=16)
