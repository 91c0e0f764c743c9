"""TNT's fine-tuning on CIFAR at 384 pixels.

Source: TNT (Han et al., NeurIPS 2021), and its author in Efficient-AI-Backbones, issue 76.
Protocol: 64 epochs, the settings of ImageNet kept, positions resized when the weights are loaded
    (paper); AdamW 5e-5, decay 5e-4, warm-up 5, batches of 16, repeated augmentation, average of the
    weights (the author's command for TNT-B on CIFAR-10; "CIFAR-100 likewise").
Assumed: the same for TNT-S; the end of the cosine, 1e-5, as in his script by default; no ten epochs
    more at the end; 8 GPUs (how many was asked and not answered). At the end 37 % of the random
    head are still in the average.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the data set, the classes, and the backbone with its weights.
"""

_base_ = [
    '../models/classifier_half.py',
    '../schedules/deit_300e.py',
    '../cls_runtime_ema.py',
]

optim_wrapper = dict(optimizer=dict(lr=5e-5, weight_decay=5e-4))
param_scheduler = [
    dict(type='LinearLR', start_factor=0.02, begin=0, end=6),
    dict(type='CosineAnnealingLR', eta_min_ratio=0.2, begin=0, end=64, T_max=64),
]
train_cfg = dict(max_epochs=64)
auto_scale_lr = dict(base_batch_size=128)
