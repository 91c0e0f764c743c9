"""SReT's fine-tuning at 384 pixels on ImageNet-1k.

Source: SReT (Shen et al., ECCV 2022), Table 10.
Protocol: from the distilled weights of 224 pixels, AdamW 5e-6, decay 0.
Assumed: all else is DeiT's: 30 epochs, batch 512 (16 GPUs x 32 images), warm-up of 5 from 1e-6 and
    a constant rate then, the model in eval mode, augmentation, the labels' loss, positions resized
    on loading.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the whole model's weights, and the backbone at 384 pixels.
"""

_base_ = './deit_30e_imagenet_384.py'

optim_wrapper = dict(optimizer=dict(weight_decay=0.0))
