"""DeiT's fine-tuning on CIFAR, batch 768: SGD 0.01 with momentum, decay 1e-4, 1000 epochs.

Everything else is DeiT's on ImageNet: what is not decayed, the warm-up, the end of the cosine.
"""

_base_ = './deit_300e.py'

optim_wrapper = dict(
    optimizer=dict(
        _delete_=True, type='SGD', lr=0.01, momentum=0.9, nesterov=True, weight_decay=1e-4
    )
)
param_scheduler = [
    dict(type='LinearLR', start_factor=1e-4, begin=0, end=6),
    dict(type='CosineAnnealingLR', eta_min_ratio=1e-3, begin=0, end=1000, T_max=1000),
]
train_cfg = dict(max_epochs=1000, val_interval=10)
auto_scale_lr = dict(base_batch_size=768)
