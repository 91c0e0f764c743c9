"""Shortcuts of a plain ViT by depth: none with 1, 2, 4 and 6 blocks, identity and augmented with 6.

The paper's ViT learns with two blocks and no shortcut, and not with four. Two augmented paths are
added as its Eq. 8 says (scale 1), and as the published code does, which multiplies the sum by 3/4.

    OMP_NUM_THREADS=1 python tools/compare.py configs/studies/shortcut.py --jobs 2
"""

base = '_base_/vit_fashion_mnist.py'
source = 'Tang et al., "Augmented Shortcuts", 2021: ImageNet top-1, Table 1 (none) and 2, DeiT-S'
metric = 'accuracy/top1'
length = 900
seeds = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
rates = (3e-4, 1e-3, 2e-3)
smallest_effect = 0.4
baseline = 'identity_6'

_shortcut, _depth = 'model.backbone.shortcut', 'model.backbone.arch.depth'
_none = {_shortcut: dict(type='NoShortcut')}
_published = {_shortcut: dict(type='AugmentedShortcut', paths=2, blocks=4, scale=0.75)}
_scale_1 = {_shortcut: dict(type='AugmentedShortcut', paths=2, blocks=4, scale=1.0)}
variants = dict(
    none_1=dict(options={**_none, _depth: 1}, paper=18.3, against='none_1'),
    none_2=dict(options={**_none, _depth: 2}, paper=43.4, against='none_1', expected=(0, 15)),
    none_4=dict(options={**_none, _depth: 4}, paper=0.13, against='none_2', expected=(-30, -3)),
    none_6=dict(options=_none, paper=(0.12, 79.8), expected=(-25, -5)),
    identity_6=dict(),
    published_6=dict(options=_published, paper=(80.9, 79.8), expected=(-0.8, 0.3)),
    scale_1_6=dict(options=_scale_1, paper=(80.9, 79.8), expected=(-0.4, 0.5)),
)
