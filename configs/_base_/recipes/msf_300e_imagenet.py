"""MSF's recipe for ImageNet-1k, 300 epochs.

Source: MSF (Kobayashi, CVPR 2024), paper and the repository's script for ViT-S.
Protocol: 300 epochs, batch 1024 (4 GPUs x 256 images), AdamW 1e-3, decay 0.05 of everything,
    clipped at 1, warm-up 10, cosine; 3-Augment, jitter 0.3, MixUp or CutMix 0.2, smoothing 0.1,
    repeated augmentation. No stochastic depth but in Swin, no average of the weights. Published in
    float16; --amp takes bfloat16 where the GPU has it.
Assumed: the published recipe of 100 epochs, only longer; for other models than ViT-S also its
    mixing and batch size.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the backbone.
"""

_base_ = './msf_100e_imagenet.py'

param_scheduler = [
    dict(type='LinearLR', start_factor=0.033, begin=0, end=11),
    dict(type='CosineAnnealingLR', begin=10, end=300, T_max=290),
]
train_cfg = dict(max_epochs=300)
