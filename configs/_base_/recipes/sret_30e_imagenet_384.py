"""SReT's fine-tuning at 384 pixels on ImageNet-1k.

Source: SReT (Shen et al., ECCV 2022), Table 10.
Protocol: from the distilled weights of 224 pixels, AdamW 5e-6, decay 0.
Assumed: all else is DeiT's: 30 epochs, batch 512 (16 GPUs x 32 images), warm-up of 5 from 1e-6 and
    a constant rate then, the model in eval mode, augmentation, the labels' loss, positions resized
    on loading.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the whole model's weights, the backbone at 384 pixels and the width of the head.
"""

_base_ = [
    '../models/classifier_erase_first.py',
    '../datasets/imagenet_384.py',
    '../schedules/finetune_30e.py',
    '../cls_runtime_eval_mode.py',
]
