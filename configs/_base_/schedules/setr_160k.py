"""SETR's ADE20K schedule: 160k iterations on 8 GPUs x 2 images, SGD, polynomial decay.

No weight decay, no warm-up; the heads learn at ten times the rate (the neck of MLA, which is part
of the backbone in the released code, at the backbone's). 1e-3 is the rate of PUP and MLA; Naive
has 1e-2. ``auto_scale_lr`` names the batch size the rates are meant for and changes
nothing until it is switched on (``auto_scale_lr.enable=True``).
"""

optim_wrapper = dict(
    type='OptimWrapper',
    optimizer=dict(type='SGD', lr=1e-3, momentum=0.9, weight_decay=0.0),
    paramwise_cfg=dict(custom_keys={'head': dict(lr_mult=10.0)}),
)
param_scheduler = [
    dict(
        type='vitbackbones.PolyLR',  # all groups end at 1e-4
        eta_min_ratio=0.1,
        power=0.9,
        begin=0,
        end=160000,
        by_epoch=False,
    )
]
train_cfg = dict(type='IterBasedTrainLoop', max_iters=160000, val_interval=16000)
val_cfg = dict(type='ValLoop')
test_cfg = dict(type='TestLoop')
auto_scale_lr = dict(enable=False, base_batch_size=16)
