"""TNT's fine-tuning on fine-grained data, Flowers-102 and Pets, at 384 pixels.

Source: TNT (Han et al., NeurIPS 2021), and its author in Efficient-AI-Backbones, issue 76.
Protocol: 300 epochs, the settings of ImageNet kept, positions resized when the weights are loaded.
Assumed: AdamW 5e-5, decay 5e-4, warm-up 5, batches of 16 and repeated augmentation, the author's
    command for TNT-B on CIFAR-10; 8 GPUs. The last weights are reported: too much of the random
    head would be in the average of that command, which is kept aside.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the data set, the classes, and the backbone with its weights.
"""

_base_ = './tnt_64e_cifar_384.py'

param_scheduler = [
    dict(type='LinearLR', start_factor=0.02, begin=0, end=6),
    dict(type='CosineAnnealingLR', eta_min_ratio=0.2, begin=0, end=300, T_max=300),
]
train_cfg = dict(max_epochs=300, val_interval=10)
default_hooks = dict(
    ema=dict(evaluate='last'),
    checkpoint=dict(interval=10),  # epochs, which are short
)
