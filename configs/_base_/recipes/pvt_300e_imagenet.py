"""PVT's recipe for ImageNet-1k: DeiT's, but positions are decayed and no average is kept.

Source: PVT (Wang et al., ICCV 2021), the repository's script and configs.
Protocol: 300 epochs, batch 1024 (8 GPUs x 128 images), AdamW 1e-3, decay 0.05 (of positions, too),
    warm-up 5, cosine; DeiT's augmentation, stochastic depth 0.1. No average of the weights. M and L
    have a stochastic depth of 0.3, and their gradients are clipped at 1.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the backbone with its stochastic depth.
"""

_base_ = [
    '../models/classifier_erase_first.py',
    '../datasets/imagenet_deit.py',
    '../schedules/deit_300e.py',
    '../cls_runtime.py',
]

optim_wrapper = dict(paramwise_cfg=dict(custom_keys=dict(pos_embed=dict(decay_mult=1.0))))
