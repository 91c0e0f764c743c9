"""DeiT's fine-tuning on CIFAR, which its larger sizes and other small data sets take over.

Source: DeiT (Touvron et al., ICML 2021), and its author in deit, issue 45.
Protocol: 1000 epochs, batch 768 (8 GPUs x 96 images), SGD 0.01, decay 1e-4; nothing erased, no
    stochastic depth; 224 pixels; "all other elements are the same as for training on ImageNet".
Assumed: 0.01 is the rate after DeiT's scaling with the batch; Nesterov's momentum of 0.9, which SGD
    is by default in DeiT's script.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the data set, the classes, the backbone with its weights and the width of the
head.
"""

_base_ = [
    '../models/classifier.py',
    '../schedules/sgd_1000e.py',
    '../cls_runtime.py',
]

default_hooks = dict(checkpoint=dict(interval=10))  # epochs, which are short
