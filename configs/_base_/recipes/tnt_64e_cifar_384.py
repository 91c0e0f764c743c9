"""TNT's fine-tuning on CIFAR at 384 pixels.

Source: TNT (Han et al., NeurIPS 2021), and its author in Efficient-AI-Backbones, issue 76.
Protocol: 64 epochs, the settings of ImageNet kept, positions resized when the weights are loaded
    (paper); AdamW 5e-5, decay 5e-4, warm-up 5, batches of 16, repeated augmentation, average of the
    weights (the author's command for TNT-B on CIFAR-10; "CIFAR-100 likewise").
Assumed: the same for TNT-S; 8 GPUs. At the end 37 % of the random head are still in the average.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the data set, the classes, the backbone with its weights and the width of the
head.
"""

_base_ = [
    '../models/classifier_half.py',
    '../schedules/transfer_64e.py',
    '../cls_runtime_ema.py',
]
