"""TNT's fine-tuning on fine-grained data, Flowers-102 and Pets, at 384 pixels.

Source: TNT (Han et al., NeurIPS 2021), and its author in Efficient-AI-Backbones, issue 76.
Protocol: 300 epochs, the settings of ImageNet kept, positions resized when the weights are loaded.
Assumed: AdamW 5e-5, decay 5e-4, warm-up 5, batches of 16 and repeated augmentation, the author's
    command for TNT-B on CIFAR-10; 8 GPUs. The last weights are reported: too much of the random
    head would be in the average of that command, which is kept aside.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the data set, the classes, the backbone with its weights and the width of the
head.
"""

_base_ = [
    '../models/classifier_half.py',
    '../schedules/transfer_300e.py',
    '../cls_runtime_ema_aside.py',
]

default_hooks = dict(checkpoint=dict(interval=10))  # epochs, which are short
