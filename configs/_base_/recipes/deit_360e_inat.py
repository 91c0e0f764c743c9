"""DeiT's fine-tuning on iNaturalist at 224 pixels.

Source: DeiT's author in deit, issue 105, for DeiT-B (Touvron et al., ICML 2021).
Protocol: 360 epochs, batch 768 (8 GPUs x 96 images), AdamW 7.5e-5, decay 0.05, erasing 0.1,
    stochastic depth 0.1, repeated augmentation.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the data set, the classes, the backbone with its weights and the width of the
head.
"""

_base_ = [
    '../models/classifier_erase_first.py',
    '../schedules/inat_360e.py',
    '../cls_runtime.py',
]

model = dict(data_preprocessor=dict(erase_prob=0.1))
