"""DeiT's fine-tuning on iNaturalist at 224 pixels.

Source: DeiT's author in deit, issue 105, for DeiT-B (Touvron et al., ICML 2021).
Protocol: 360 epochs, batch 768 (8 GPUs x 96 images), AdamW 7.5e-5, decay 0.05, erasing 0.1,
    stochastic depth 0.1, repeated augmentation; warm-up from 1e-6, cosine to 1e-5, as on ImageNet.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the data set, the classes, and the backbone with its weights.
"""

_base_ = [
    '../models/classifier_erase_first.py',
    '../schedules/deit_300e.py',
    '../cls_runtime.py',
]

model = dict(data_preprocessor=dict(erase_prob=0.1))
optim_wrapper = dict(optimizer=dict(lr=7.5e-5))
param_scheduler = [
    dict(type='LinearLR', start_factor=1 / 75, begin=0, end=6),
    dict(type='CosineAnnealingLR', eta_min_ratio=2 / 15, begin=0, end=360, T_max=360),
]
train_cfg = dict(max_epochs=360)
auto_scale_lr = dict(base_batch_size=768)
