"""DeiT's fine-tuning on CIFAR, batch 768: SGD 0.01 with momentum, decay 1e-4, 1000 epochs."""

optim_wrapper = dict(
    type='OptimWrapper', optimizer=dict(type='SGD', lr=0.01, momentum=0.9, weight_decay=1e-4)
)
param_scheduler = [
    dict(type='LinearLR', start_factor=1e-4, begin=0, end=6),
    dict(type='CosineAnnealingLR', begin=5, end=1000, T_max=995),
]
train_cfg = dict(type='EpochBasedTrainLoop', max_epochs=1000, val_interval=10)
val_cfg = dict(type='ValLoop')
test_cfg = dict(type='TestLoop')
auto_scale_lr = dict(enable=False, base_batch_size=768)
