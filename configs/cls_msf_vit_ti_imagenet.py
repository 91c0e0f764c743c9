"""MSF ViT-Ti, ImageNet-1k.

Reproduces: MSF (Kobayashi, CVPR 2024), Table 6, MSF; with groups=2 in the backbone its 2-group row.
Published: 73.50, with groups=2 72.74 (top-1, ImageNet val).
Protocol: 100 epochs, batch 1024, AdamW 1e-3, decay 0.05 of everything, clipped at 1, warm-up 10,
    cosine; 3-Augment, jitter 0.3, MixUp or CutMix 0.2, smoothing 0.1, repeated augmentation. No
    stochastic depth, no average of the weights. Published in float16; --amp takes bfloat16 where
    the GPU has it.
Assumed: mixing and batch size of ViT-S; the paper tunes both by size and does not print them.
Parameters: 6.114 M.
Hardware: 4 GPUs x 256 images.

    bash tools/dist_train.sh configs/cls_msf_vit_ti_imagenet.py 4 --amp
    python tools/train.py configs/cls_msf_vit_ti_imagenet.py
"""

_base_ = [
    '_base_/models/classifier_msf.py',
    '_base_/datasets/imagenet_msf.py',
    '_base_/schedules/msf_100e.py',
    '_base_/cls_runtime.py',
]

model = dict(
    backbone=dict(type='vitbackbones.MSFViT', arch='ti', out_type='pooled'),
    head=dict(in_channels=192, init_cfg=None),
)
