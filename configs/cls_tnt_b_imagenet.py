"""TNT-B, ImageNet-1k.

Reproduces: TNT (Han et al., NeurIPS 2021), repository's README.
Published: 82.9 (top-1, ImageNet val).
Protocol: 300 + 10 epochs, batch 1024, AdamW 1e-3, decay 0.05, warm-up 5, cosine; RandAugment, MixUp
    0.8 or CutMix 1, erasing 0.25, smoothing 0.1, repeated augmentation, stochastic depth 0.1. The
    average of the weights (decay 0.99996) is reported. Mean and std are 0.5.
Parameters: 65.429 M.
Hardware: 8 GPUs x 128 images, as published.

    bash tools/dist_train.sh configs/cls_tnt_b_imagenet.py 8 --amp
    python tools/train.py configs/cls_tnt_b_imagenet.py
"""

_base_ = [
    '_base_/models/classifier_half.py',
    '_base_/datasets/imagenet_half.py',
    '_base_/schedules/tnt_310e.py',
    '_base_/cls_runtime_ema.py',
]

model = dict(
    backbone=dict(type='vitbackbones.TNT', arch='b', out_type='cls_token', drop_path_rate=0.1),
    head=dict(in_channels=640),
)
