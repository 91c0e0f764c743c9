"""Aug-ViT: its paths, where they lead around, and what is in them."""

from .table import Ablation, Paper, Table

_CUT = 'rounded down'

AUG_VIT = Paper(
    'Aug-ViT (Tang et al., "Augmented Shortcuts for Vision Transformers", NeurIPS 2021)',
    'top-1, ImageNet val',
    'aug',
    (
        Table(
            'Table 1',
            'ViT-S without shortcuts, of several depths',
            'deit_s',
            7,
            tuple(
                Ablation(
                    f'{depth} blocks' if depth > 1 else '1 block',
                    {'shortcut.type': 'NoShortcut', 'arch.depth': depth},
                    published,
                )
                for depth, published in {
                    1: '18.3',
                    2: '43.4',
                    4: '0.13',
                    6: '0.12',
                    8: '0.15',
                    10: '0.14',
                    12: '0.15',
                }.items()
            ),
        ),
        Table(
            'Table 3',
            'number of augmented paths',
            'aug_vit_s',
            4,
            (
                Ablation('0', {}, '79.8', model='deit_s'),
                Ablation(
                    '1',
                    {'shortcut.paths': 1},
                    '',
                    '+0.04',
                    note="without activation, as in the published code; the paper's Eq. 9 has one: "
                    '`shortcut.activation=GELU`',
                ),
                Ablation('2', {}, '80.9', '+0.07', 22_142_824),
                Ablation(
                    '3',
                    {'shortcut.paths': 3},
                    '',
                    '+0.12',
                    note='three times 0.037 are 0.11',
                ),
            ),
            plain='deit_s',
        ),
        Table(
            'Table 4',
            'the branches that have augmented shortcuts',
            'aug_vit_s',
            4,
            (
                Ablation('neither', {}, '79.8', model='deit_s'),
                Ablation('attention', {'shortcut.location': 'attention'}),
                Ablation('MLP', {'shortcut.location': 'mlp'}),
                Ablation('both', {}, '80.9', '', 22_142_824),
            ),
        ),
        Table(
            'Table 5',
            'circulant blocks a side, or dense paths',
            'aug_vit_s',
            6,
            (
                Ablation('1', {'shortcut.blocks': 1}, '', '+0.02'),
                Ablation('2', {'shortcut.blocks': 2}, '', '+0.03', note=_CUT),
                Ablation('4', {}, '80.9', '+0.07', 22_142_824),
                Ablation('8', {'shortcut.blocks': 8}, '', '+0.15'),
                Ablation('unstructured', {'shortcut.projection': 'dense'}, '', '+7.1'),
            ),
            plain='deit_s',
        ),
        Table(
            'Table 6',
            'what is in a path',
            'aug_vit_s',
            5,
            (
                Ablation('no paths', {}, '79.8', model='deit_s'),
                Ablation(
                    'activation',
                    {
                        'shortcut.paths': 1,
                        'shortcut.projection': 'none',
                        'shortcut.activation': 'GELU',
                    },
                    '79.9',
                    note='several such paths would all be the same',
                ),
                Ablation('circulant', {'shortcut.activation': None}, '80.6'),
                Ablation('activation, circulant', {'shortcut.order': 'activation_first'}, '80.8'),
                Ablation('circulant, activation', {}, '80.9', '', 22_142_824),
            ),
        ),
        Table(
            'Tables 7 and 8',
            'stochastic depth and dropout',
            'aug_vit_s',
            20,
            (),
            'Their rates are one setting each, `model.backbone.drop_path_rate` and '
            '`model.backbone.drop_rate`, of `configs/imagenet/cls_aug_vit_s.py` and of '
            '`configs/imagenet/cls_deit_s.py`.',
        ),
    ),
)
