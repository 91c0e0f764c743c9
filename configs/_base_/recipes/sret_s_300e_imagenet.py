"""SReT's recipe for ImageNet-1k, of the size S.

Source: SReT (Shen et al., ECCV 2022), paper and repository's README.
Protocol: 300 epochs, batch 512 (8 GPUs x 64 images), AdamW 1e-3, decay 0.05, cosine; DeiT's
    augmentation, stochastic depth 0.2. The last weights are reported, not their average.
Assumed: warm-up 30, which the README asks for and the paper finds better; the paper's tables print
    5, and which of the two made the published numbers is not said.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the backbone with its stochastic depth, and the width of the head.
"""

_base_ = [
    '../models/classifier_erase_first.py',
    '../datasets/imagenet_deit.py',
    '../schedules/sret_s_300e.py',
    '../cls_runtime_ema_aside.py',
]

train_dataloader = dict(batch_size=64)
