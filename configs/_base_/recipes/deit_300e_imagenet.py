"""DeiT's recipe for ImageNet-1k, which the MLP-Mixers take over.

Source: DeiT (Touvron et al., ICML 2021), paper and the repository's script.
Protocol: 300 epochs, batch 1024 (8 GPUs x 128 images), AdamW 1e-3, decay 0.05, warm-up 5, cosine;
    RandAugment, MixUp 0.8 or CutMix 1, erasing 0.25, smoothing 0.1, repeated augmentation,
    stochastic depth 0.1. The last weights are reported, not their average, which is kept aside.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the backbone with its stochastic depth.
"""

_base_ = [
    '../models/classifier_erase_first.py',
    '../datasets/imagenet_deit.py',
    '../schedules/deit_300e.py',
    '../cls_runtime_ema_aside.py',
]
