"""MSF's recipe for ImageNet-1k, 100 epochs.

Source: MSF (Kobayashi, CVPR 2024), paper and the repository's script for ViT-S.
Protocol: 100 epochs, batch 1024 (4 GPUs x 256 images), AdamW 1e-3, decay 0.05 of everything,
    clipped at 1, warm-up 10, cosine; 3-Augment, jitter 0.3, MixUp or CutMix 0.2, smoothing 0.1,
    repeated augmentation. No stochastic depth but in Swin, no average of the weights. Published in
    float16; --amp takes bfloat16 where the GPU has it.
Assumed for other models than ViT-S: its mixing and batch size; the paper tunes both by size and
    does not print them.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the backbone, and the width of the head.
"""

_base_ = [
    '../models/classifier_msf.py',
    '../datasets/imagenet_msf.py',
    '../schedules/msf_100e.py',
    '../cls_runtime.py',
]
