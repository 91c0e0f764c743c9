"""Augmented shortcuts of a plain ViT of 24 blocks, with the published code's 3/4 and without.

Each variant has a rate of its own: at one rate that was chosen for the identity, 3/4 fails here.

    OMP_NUM_THREADS=1 python tools/compare.py configs/studies/shortcut_24.py --jobs 2
"""

base = '_base_/vit_fashion_mnist.py'
source = 'Tang et al., "Augmented Shortcuts", 2021: ImageNet top-1, Table 2, DeiT-S of 12 blocks'
metric = 'accuracy/top1'
length = 900
seeds = (0, 1, 2)
rates = (3e-4, 1e-3, 2e-3)
smallest_effect = 1.0
baseline = 'identity_24'

_shortcut, _depth = 'model.backbone.shortcut', {'model.backbone.arch.depth': 24}
_published = {_shortcut: dict(type='AugmentedShortcut', paths=2, blocks=4, scale=0.75)}
_scale_1 = {_shortcut: dict(type='AugmentedShortcut', paths=2, blocks=4, scale=1.0)}
variants = dict(
    identity_24=dict(options=_depth, paper=79.8),
    published_24=dict(options={**_depth, **_published}, paper=80.9, expected=(-15, -0.5)),
    scale_1_24=dict(options={**_depth, **_scale_1}, paper=80.9, expected=(-0.8, 0.8)),
)
