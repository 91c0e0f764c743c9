"""The Aug-ViT of `make demo`, pretrained on Tiny-ImageNet under EfficientNet-Lite0.

Reproduces: nothing published.
Schedule: 8 epochs of 100,000 pictures of 64 x 64, which the backbone sees at 128 x 128 and 96 x 96:
    as many patches of 16 pixels, 8 x 8, as the teacher's map at stride 16 has, or 6 x 6. bfloat16.
Measured: top-1 35.3 at 128 x 128. Its weights are those of aug_vit_small.
Hardware: two CPU cores.

    python tools/train.py configs/pretrain/aug_vit_small.py --amp \
        --data-root data/tiny-imagenet-200 --cache-gb 6 --cache-views 2
"""

_base_ = '../_base_/recipes/tiny_imagenet_distilled.py'

model = dict(
    backbone=dict(
        type='vitbackbones.AugViT',
        arch=dict(embed_dims=128, depth=4, num_heads=4),
        img_size=128,
    ),
    head=dict(in_channels=128),
    student_sizes=[128, 96],
    flip_prob=0.5,
    pairs=[(0, 3, 112), (0, 4, 320)],
)
param_scheduler = _base_.param_scheduler
param_scheduler[1].update(end=8)
train_cfg = dict(max_epochs=8)
