"""SReT's recipe for ImageNet-1k, of the size S.

Source: SReT (Shen et al., ECCV 2022), paper and repository's README.
Protocol: 300 epochs, batch 512 (8 GPUs x 64 images), AdamW 1e-3, decay 0.05, cosine; DeiT's
    augmentation, stochastic depth 0.2. The last weights are reported, not their average.
Assumed: warm-up 30, which the README asks for and the paper finds better; the paper's tables print
    5, and which of the two made the published numbers is not said.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the backbone with its stochastic depth.
"""

_base_ = './sret_300e_imagenet.py'

train_dataloader = dict(batch_size=64)
optim_wrapper = dict(optimizer=dict(lr=1e-3))
param_scheduler = [
    dict(type='LinearLR', start_factor=1e-3, begin=0, end=31),
    dict(type='CosineAnnealingLR', eta_min_ratio=0.01, begin=0, end=301, T_max=300),
]
auto_scale_lr = dict(base_batch_size=512)
