"""MLP-Mixer-B/16, ImageNet-1k.

Reproduces: SReT (Shen et al., ECCV 2022), Figure 6.
Published: only as a curve.
Protocol: 300 epochs, batch 1024, AdamW 1e-3, decay 0.05, warm-up 5, cosine; RandAugment, MixUp 0.8
    or CutMix 1, erasing 0.25, smoothing 0.1, repeated augmentation, stochastic depth 0.1. The last
    weights are reported, not their average.
Assumed: DeiT's recipe; the paper does not name one.
Parameters: 59.880 M.
Hardware: 8 GPUs x 128 images.

    bash tools/dist_train.sh configs/cls_mixer_b16_imagenet.py 8 --amp
    python tools/train.py configs/cls_mixer_b16_imagenet.py
"""

_base_ = [
    '_base_/models/classifier.py',
    '_base_/datasets/imagenet_deit.py',
    '_base_/schedules/deit_300e.py',
    '_base_/cls_runtime_ema_aside.py',
]

model = dict(
    backbone=dict(type='vitbackbones.Mixer', arch='b16', out_type='pooled', drop_path_rate=0.1),
    head=dict(in_channels=768),
)
