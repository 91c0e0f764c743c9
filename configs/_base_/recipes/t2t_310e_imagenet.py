"""T2T-ViT's recipe for ImageNet-1k.

Source: T2T-ViT (Yuan et al., ICCV 2021), the commands in the repository's README.
Protocol: 300 + 10 epochs, batch 512 (8 GPUs x 64 images), AdamW 5e-4, decay 0.05 (0.065 for 19 and
    24 layers), warm-up 10, stochastic depth 0.1. The average of the weights (decay 0.99996) is
    reported. Epochs, augmentation, evaluation crop and MixUp are the defaults of the repository's
    script.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the backbone with its stochastic depth, and the width of the head.
"""

_base_ = [
    '../models/classifier_erase.py',
    '../datasets/imagenet_t2t.py',
    '../schedules/t2t_310e.py',
    '../cls_runtime_ema.py',
]
