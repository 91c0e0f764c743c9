"""TNT-S with squeeze-and-excitation, ImageNet-1k.

Reproduces: TNT (Han et al., NeurIPS 2021), Table 4 of its first version on arXiv.
Published: 81.6 (top-1, ImageNet val); TNT-S without it has 81.3 there.
Protocol: 300 + 10 epochs, batch 1024, AdamW 1e-3, decay 0.05, warm-up 5, cosine; RandAugment, MixUp
    0.8 or CutMix 1, erasing 0.25, smoothing 0.1, repeated augmentation, stochastic depth 0.1. The
    average of the weights (decay 0.99996) is reported. Mean and std are 0.5.
Parameters: 24.668 M.
Hardware: 8 GPUs x 128 images.

    bash tools/dist_train.sh configs/cls_tnt_s_se_imagenet.py 8 --amp
    python tools/train.py configs/cls_tnt_s_se_imagenet.py
"""

_base_ = [
    '_base_/models/classifier_half.py',
    '_base_/datasets/imagenet_half.py',
    '_base_/schedules/tnt_310e.py',
    '_base_/cls_runtime_ema.py',
]

model = dict(
    backbone=dict(
        type='vitbackbones.TNT', arch='s', se=True, out_type='cls_token', drop_path_rate=0.1
    ),
    head=dict(in_channels=384),
)
