"""Shortcuts of a plain ViT: none, the identity, one or two augmented paths; 12 and 24 blocks.

Without a shortcut the paper's ViT does not learn from four blocks on. Its augmented shortcuts are
compared with the identity at the same depth. It has no 24 blocks, and no seeds.

    OMP_NUM_THREADS=1 vitbackbones compare configs/studies/shortcut.py --jobs 2
"""

base = '_base_/vit_camvid_crops.py'
source = 'Tang et al., "Augmented Shortcuts", 2021: ImageNet top-1, Table 1 (none) and 2, DeiT-S'
metric = 'accuracy/top1'
length = 3
seeds = (0, 1, 2)
baseline = 'identity_12'

_shortcut, _depth = 'model.backbone.shortcut', {'model.backbone.arch.depth': 24}
_none = {_shortcut: dict(type='NoShortcut')}
_aug_1, _aug_2 = (
    {_shortcut: dict(type='AugmentedShortcut', paths=paths, blocks=4)} for paths in (1, 2)
)
variants = dict(
    identity_12=dict(paper=79.8),
    none_12=dict(options=_none, paper=0.15),
    aug_1_12=dict(options=_aug_1),
    aug_2_12=dict(options=_aug_2, paper=80.9),
    identity_24=dict(options=_depth, against='identity_24'),
    none_24=dict(options={**_none, **_depth}, against='identity_24'),
    aug_1_24=dict(options={**_aug_1, **_depth}, against='identity_24'),
    aug_2_24=dict(options={**_aug_2, **_depth}, against='identity_24'),
)
