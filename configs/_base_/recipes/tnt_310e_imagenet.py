"""TNT's and Aug-ViT's recipe for ImageNet-1k.

Source: the command in the READMEs of TNT (Han et al., NeurIPS 2021) and Aug-ViT (Tang et al.,
    NeurIPS 2021), which is the same.
Protocol: 300 + 10 epochs, batch 1024 (8 GPUs x 128 images), AdamW 1e-3, decay 0.05, warm-up 5,
    cosine; RandAugment, MixUp 0.8 or CutMix 1, erasing 0.25, smoothing 0.1, repeated augmentation,
    stochastic depth 0.1. The average of the weights (decay 0.99996) is reported. Mean and std are
    0.5.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the backbone with its stochastic depth.
"""

_base_ = [
    '../models/classifier_half.py',
    '../datasets/imagenet.py',
    '../pipelines/half.py',
    '../schedules/deit_300e.py',
    '../cls_runtime_ema.py',
]

train_dataloader = dict(dataset=dict(pipeline=_base_.train_pipeline))
val_dataloader = dict(dataset=dict(pipeline=_base_.test_pipeline))
test_dataloader = val_dataloader
train_cfg = dict(max_epochs=310)  # the last ten at the last rate, 1e-5
