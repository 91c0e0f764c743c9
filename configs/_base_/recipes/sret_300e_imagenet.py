"""SReT's recipe for ImageNet-1k, of the sizes T and TL.

Source: SReT (Shen et al., ECCV 2022), paper and repository's README.
Protocol: 300 epochs, batch 1024 (8 GPUs x 128 images), AdamW, decay 0.05, cosine; DeiT's
    augmentation, stochastic depth 0.1. The last weights are reported, not their average.
Assumed: a rate of 2e-3 and a warm-up of 30 epochs, which the README asks for and the paper finds
    better; the paper's tables print 0.001 and 5, and which made the published numbers is not said.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the backbone with its stochastic depth.
"""

_base_ = [
    '../models/classifier_erase_first.py',
    '../datasets/imagenet_deit.py',
    '../schedules/deit_300e.py',
    '../cls_runtime_ema_aside.py',
]

optim_wrapper = dict(optimizer=dict(lr=2e-3))
param_scheduler = [
    dict(type='LinearLR', start_factor=5e-4, begin=0, end=31),
    dict(type='CosineAnnealingLR', eta_min_ratio=0.005, begin=0, end=301, T_max=300),
]
