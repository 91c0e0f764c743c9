"""DeiT's fine-tuning on CIFAR, which its larger sizes and other small data sets take over.

Source: DeiT (Touvron et al., ICML 2021), and its author in deit, issue 45.
Protocol: 1000 epochs, batch 768 (8 GPUs x 96 images), SGD 0.01, decay 1e-4; nothing erased, no
    stochastic depth; 224 pixels; "all other elements are the same as for training on ImageNet".
Assumed: 0.01 is the rate after DeiT's scaling with the batch; Nesterov's momentum of 0.9, which SGD
    is by default in DeiT's script.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the data set, the classes, and the backbone with its weights.
"""

_base_ = [
    '../models/classifier.py',
    '../schedules/deit_300e.py',
    '../cls_runtime.py',
]

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
default_hooks = dict(checkpoint=dict(interval=10))  # epochs, which are short
