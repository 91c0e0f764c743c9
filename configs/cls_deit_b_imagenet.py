"""DeiT-B, ImageNet-1k.

Reproduces: DeiT (Touvron et al., ICML 2021), Table 5.
Published: 81.8 (top-1, ImageNet val).
Protocol: 300 epochs, batch 1024, AdamW 1e-3, decay 0.05, warm-up 5, cosine; RandAugment, MixUp 0.8
    or CutMix 1, erasing 0.25, smoothing 0.1, repeated augmentation, stochastic depth 0.1. The last
    weights are reported, not their average.
Parameters: 86.568 M.
Hardware: 8 GPUs x 128 images.

    bash tools/dist_train.sh configs/cls_deit_b_imagenet.py 8 --amp
    python tools/train.py configs/cls_deit_b_imagenet.py
"""

_base_ = [
    '_base_/models/classifier.py',
    '_base_/datasets/imagenet_deit.py',
    '_base_/schedules/deit_300e.py',
    '_base_/cls_runtime_ema_aside.py',
]

model = dict(
    backbone=dict(type='vitbackbones.ViT', arch='b', out_type='cls_token', drop_path_rate=0.1),
    head=dict(in_channels=768),
)
