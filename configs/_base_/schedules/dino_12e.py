"""DINO's schedule of 12 epochs: 8 GPUs x 2 images, rate divided by 10 after epoch 11.

The backbone learns at a tenth of the rate; what a shortcut learns is not decayed.
"""

optim_wrapper = dict(
    type='OptimWrapper',
    optimizer=dict(type='AdamW', lr=1e-4, weight_decay=1e-4),
    clip_grad=dict(max_norm=0.1, norm_type=2),
    paramwise_cfg=dict(
        custom_keys={  # parts of names; the longest that fits a parameter decides alone
            'backbone': dict(lr_mult=0.1),
            '.shortcut': dict(lr_mult=0.1, decay_mult=0.0),  # inside of the backbone
        }
    ),
)
param_scheduler = [
    dict(type='MultiStepLR', begin=0, end=12, by_epoch=True, milestones=[11], gamma=0.1)
]
train_cfg = dict(type='EpochBasedTrainLoop', max_epochs=12, val_interval=1)
val_cfg = dict(type='ValLoop')
test_cfg = dict(type='TestLoop')
auto_scale_lr = dict(enable=False, base_batch_size=16)
