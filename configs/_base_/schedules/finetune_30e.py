"""DeiT's 30 epochs at a higher resolution, batch 512: AdamW at 5e-6, no decay.

The first five epochs rise from 1e-6, the script's warm-up, which the command leaves as it is; then
the rate is constant. DeiT's own lags an epoch, so its warm-up ends one later. DeiT writes a decay
of 1e-8, SReT 0.
"""

optim_wrapper = dict(type='OptimWrapper', optimizer=dict(type='AdamW', lr=5e-6, weight_decay=0.0))
param_scheduler = [dict(type='LinearLR', start_factor=0.2, begin=0, end=6)]
train_cfg = dict(type='EpochBasedTrainLoop', max_epochs=30, val_interval=1)
val_cfg = dict(type='ValLoop')
test_cfg = dict(type='TestLoop')
auto_scale_lr = dict(enable=False, base_batch_size=512)
