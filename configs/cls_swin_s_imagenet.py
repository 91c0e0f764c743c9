"""Swin-S, ImageNet-1k.

Reproduces: MSF (Kobayashi, CVPR 2024), Table 6.
Published: 81.25 (top-1, ImageNet val).
Protocol: 100 epochs, batch 1024, AdamW 1e-3, decay 0.05 of everything, clipped at 1, warm-up 10,
    cosine; 3-Augment, jitter 0.3, MixUp or CutMix 0.2, smoothing 0.1, repeated augmentation.
    Stochastic depth 0.3, no average of the weights. Published in float16; --amp takes bfloat16
    where the GPU has it.
Assumed: mixing and batch size as for ViT-S, which the paper tunes by size and does not print.
    Stochastic depth is torchvision's, whose model the published script trains.
Parameters: 49.606 M.
Hardware: 4 GPUs x 256 images.

    bash tools/dist_train.sh configs/cls_swin_s_imagenet.py 4 --amp
    python tools/train.py configs/cls_swin_s_imagenet.py
"""

_base_ = [
    '_base_/models/classifier_msf.py',
    '_base_/datasets/imagenet_msf.py',
    '_base_/schedules/msf_100e.py',
    '_base_/cls_runtime.py',
]

model = dict(
    backbone=dict(type='vitbackbones.Swin', arch='s', out_type='pooled', drop_path_rate=0.3),
    head=dict(in_channels=768),
)
