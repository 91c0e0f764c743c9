"""PVT's ADE20K schedule: 40k iterations on 8 GPUs x 4 images, AdamW, polynomial decay to 0.

Everything is decayed alike. ``auto_scale_lr`` names the batch size the rates are meant for and
changes nothing until it is switched on (``auto_scale_lr.enable=True``).
"""

optim_wrapper = dict(type='OptimWrapper', optimizer=dict(type='AdamW', lr=2e-4, weight_decay=1e-4))
param_scheduler = [
    dict(type='PolyLR', eta_min=0.0, power=0.9, begin=0, end=40000, by_epoch=False),
]
train_cfg = dict(type='IterBasedTrainLoop', max_iters=40000, val_interval=4000)
val_cfg = dict(type='ValLoop')
test_cfg = dict(type='TestLoop')
auto_scale_lr = dict(enable=False, base_batch_size=32)
