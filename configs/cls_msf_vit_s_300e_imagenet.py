"""MSF ViT-S, ImageNet-1k.

Reproduces: MSF (Kobayashi, CVPR 2024), Table 6, MSF; with groups=2 in the backbone its 2-group row.
Published: 81.49, with groups=2 81.41 (top-1, ImageNet val).
Protocol: 300 epochs, batch 1024, AdamW 1e-3, decay 0.05 of everything, clipped at 1, warm-up 10,
    cosine; 3-Augment, jitter 0.3, MixUp or CutMix 0.2, smoothing 0.1, repeated augmentation. No
    stochastic depth, no average of the weights. Published in float16; --amp takes bfloat16 where
    the GPU has it.
Assumed: the published recipe of 100 epochs, only longer.
Parameters: 23.728 M.
Hardware: 4 GPUs x 256 images.

    bash tools/dist_train.sh configs/cls_msf_vit_s_300e_imagenet.py 4 --amp
    python tools/train.py configs/cls_msf_vit_s_300e_imagenet.py
"""

_base_ = [
    '_base_/models/classifier_msf.py',
    '_base_/datasets/imagenet_msf.py',
    '_base_/schedules/msf_300e.py',
    '_base_/cls_runtime.py',
]

model = dict(
    backbone=dict(type='vitbackbones.MSFViT', arch='s', out_type='pooled'),
    head=dict(in_channels=384, init_cfg=None),
)
