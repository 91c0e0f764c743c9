"""The SReT of the quick configs, pretrained on Tiny-ImageNet under EfficientNet-Lite0.

Reproduces: nothing published.
Schedule: 24 epochs of 100,000 pictures of 64 x 64.
Hardware: two CPU cores.

    python tools/train.py configs/pretrain/sret_quick.py \
        --data-root data/tiny-imagenet-200 --cache-gb 6 --cache-views 2
"""

_base_ = ['../_base_/models/quick_sret.py', '../_base_/recipes/tiny_imagenet_distilled.py']

model = dict(
    backbone=dict(**_base_.quick_sret, out_indices=(0, 1, 2)),
    head=dict(in_channels=256),
    pairs=[(0, 3, 112), (1, 4, 320)],  # 8 x 8 and 4 x 4, of images of 64 and 128 pixels
)
model['backbone']['img_size'] = 64
