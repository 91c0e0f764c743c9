"""Aug-ViT's fine-tuning on small data sets at 384 pixels: DeiT's, with mean and std 0.5.

Source: Aug-ViT (Tang et al., NeurIPS 2021), Table 10, which says "as DeiT".
Protocol: DeiT's on CIFAR: 1000 epochs, batch 768 (16 GPUs x 48 images), SGD 0.01, decay 1e-4;
    nothing erased, no stochastic depth.
Assumed: the same for Flowers-102 and Pets, for which DeiT's authors name no recipe; what
    deit_1000e_cifar assumes.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the data set with its batches, the classes, and the backbone with its weights.
"""

_base_ = './deit_1000e_cifar.py'

model = dict(
    data_preprocessor=dict(
        type='vitbackbones.ErasingPreprocessor',
        erase_prob=0.0,
        mean=[127.5] * 3,
        std=[127.5] * 3,
    )
)
