"""DeiT's 30 epochs at a higher resolution, batch 512: AdamW at a constant 5e-6, no decay.

DeiT writes a decay of 1e-8, SReT 0.
"""

optim_wrapper = dict(type='OptimWrapper', optimizer=dict(type='AdamW', lr=5e-6, weight_decay=0.0))
train_cfg = dict(type='EpochBasedTrainLoop', max_epochs=30, val_interval=1)
val_cfg = dict(type='ValLoop')
test_cfg = dict(type='TestLoop')
auto_scale_lr = dict(enable=False, base_batch_size=512)
