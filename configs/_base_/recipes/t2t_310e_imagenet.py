"""T2T-ViT's recipe for ImageNet-1k.

Source: T2T-ViT (Yuan et al., ICCV 2021), the commands in the repository's README.
Protocol: 300 + 10 epochs, batch 512 (8 GPUs x 64 images), AdamW 5e-4, decay 0.05 (0.065 for 19 and
    24 layers), warm-up 10, stochastic depth 0.1. The average of the weights (decay 0.99996) is
    reported. Epochs, augmentation, evaluation crop and MixUp are the defaults of the repository's
    script.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the backbone with its stochastic depth.
"""

_base_ = [
    '../models/classifier.py',
    '../datasets/imagenet.py',
    '../pipelines/timm.py',
    '../schedules/deit_300e.py',
    '../cls_runtime_ema.py',
]

model = dict(data_preprocessor=dict(type='vitbackbones.ErasingPreprocessor', erase_prob=0.25))
train_dataloader = dict(
    batch_size=64,
    sampler=dict(_delete_=True, type='DefaultSampler', shuffle=True),  # no repetition
    dataset=dict(pipeline=_base_.train_pipeline),
)
val_dataloader = dict(dataset=dict(pipeline=_base_.test_pipeline))
test_dataloader = val_dataloader
optim_wrapper = dict(optimizer=dict(lr=5e-4))
param_scheduler = [
    dict(type='LinearLR', start_factor=2e-3, begin=0, end=11),
    dict(type='CosineAnnealingLR', eta_min_ratio=0.02, begin=0, end=301, T_max=300),
]
train_cfg = dict(max_epochs=310)  # the last ten at the last rate, as in the repository's script
auto_scale_lr = dict(base_batch_size=512)
