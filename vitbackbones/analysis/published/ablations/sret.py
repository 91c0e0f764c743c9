"""SReT: recursion, its parts, slices and coefficients."""

from .table import Ablation, Paper, Table

_SIX_BLOCKS = {'arch.depth': 6, 'recursion.passes': 2}
_CLASS_TOKEN = {'with_cls_token': True, 'out_type': 'cls_token'}
_PATCH_STEM = {'stem': 'patch', **_CLASS_TOKEN}
_PLAIN = {'shortcut.type': 'IdentityShortcut'}
_EIGHT = {'groups': [[8, 8], [4, 4], [1, 1]]}
_AS_TABLE_3 = 'the same model as in Table 3'

SRET = Paper(
    'SReT (Shen et al., "Sliced Recursive Transformer", ECCV 2022)',
    'top-1, ImageNet val',
    'macs',
    (
        Table(
            'Table 1',
            'passes through the blocks of DeiT-Ti, without projections',
            'deit_ti',
            4,
            (
                Ablation('once', {}, '72.2', '5.7', 5_717_416),
                Ablation('twice', {'recursion.passes': 2}, '74.0', '5.7', 5_717_416),
                Ablation('three times', {'recursion.passes': 3}, '74.1', '5.7', 5_717_416),
                Ablation('four times', {'recursion.passes': 4}, '73.6', '5.7', 5_717_416),
            ),
        ),
        Table(
            'Table 2',
            'global or sliced attention, with or without loops, at equal size',
            'sret_t',
            3,
            (
                Ablation(
                    'global, without loops',
                    {'groups': None, 'passes': 1, 'arch.depths': [2, 4, 3]},
                    '73.6',
                    '4.0',
                    note='a reading of ours, of 0.7 G: the paper gives no layout',
                ),
                Ablation(
                    'sliced, with loops: SReT-ExT',
                    {},
                    '74.0',
                    '4.0',
                    note='a reading of ours, of 0.7 G: the paper gives no layout',
                    model='sret_ext',
                ),
            ),
            'The row that is missing is PiT-Ti (73.0), which is no host of this project; '
            '`tools/benchmark.py` times it as `timm:pit_ti_224`.',
        ),
        Table(
            'Section 5.2',
            'loops over each block or over the row of blocks: 6 blocks of DeiT-Ti, each twice',
            'deit_ti',
            3,
            (
                Ablation(
                    'external',
                    {
                        **_SIX_BLOCKS,
                        'recursion.loop': 'external',
                        'recursion.nll_ratio': 1,
                        'recursion.nll': 'per_sweep',
                    },
                    '67.0',
                    '3.2',
                    3_197_224,
                    'the printed size says that there is a projection after each sweep',
                ),
                Ablation('internal', _SIX_BLOCKS, '67.6', '3.0', 3_048_232),
                Ablation(
                    'internal, with projections',
                    {**_SIX_BLOCKS, 'recursion.nll_ratio': 1},
                    '70.3',
                    '3.9',
                    3_942_184,
                ),
            ),
        ),
        Table(
            'Table 3',
            'the parts of SReT-TL, with global attention',
            'sret_tl_global',
            9,
            (
                Ablation('DeiT-Ti', {}, '72.2', '5.7', 5_717_416, model='deit_ti'),
                Ablation(
                    'pyramid, without projections',
                    {**_PATCH_STEM, **_PLAIN, 'nll_ratio': 0},
                    '72.5',
                    '3.8',
                    note='every block once (`passes=1`) has the same size',
                ),
                Ablation('+ projections', {**_PATCH_STEM, **_PLAIN}, '74.7'),
                Ablation('- class token', {'stem': 'patch', **_PLAIN}, '75.0'),
                Ablation('+ coefficients', _PATCH_STEM, '75.2'),
                Ablation('+ stem', {**_CLASS_TOKEN, **_PLAIN}, '76.0'),
                Ablation('all of them', {}, '76.8', '', 4_988_024),
                Ablation(
                    'all, hard distillation',
                    {},
                    '77.5',
                    '',
                    4_988_024,
                    config='cls_sret_tl_global_distill_imagenet',
                    run={'model.distillation': 'hard'},
                ),
                Ablation(
                    'all, soft distillation',
                    {},
                    '77.9',
                    '',
                    4_988_024,
                    config='cls_sret_tl_global_distill_imagenet',
                ),
            ),
            'Class token, coefficients and stem each change the row with projections alone: what '
            'they add to its 74.7 (0.3, 0.5, 1.3) adds up to the 76.8 of all.',
        ),
        Table(
            'Table 7',
            'slices of each stage in passes 1 and 2, and their permutations',
            'sret_tl',
            14,
            (
                Ablation('T, global', {'groups': None}, '76.1', '', 4_755_979, model='sret_t'),
                Ablation('T, [8,2][4,1][1,1]', {}, '76.0', '', 4_755_979, model='sret_t'),
                Ablation(
                    'T, [16,2][4,2][1,1]',
                    {'groups': [[16, 2], [4, 2], [1, 1]]},
                    '',
                    '',
                    4_755_979,
                    'prints 1.01 G; by its Eq. 15 these groups have 1.09',
                    model='sret_t',
                ),
                Ablation('TL, global', {'groups': None}, '76.8', '', 4_988_024),
                Ablation('TL, [8,2][4,1][1,1]', {}, '76.7', '', 4_988_024),
                Ablation(
                    'TL, [16,1][14,1][1,1]',
                    {'groups': [[16, 1], [14, 1], [1, 1]]},
                    '76.6',
                    '',
                    4_988_024,
                ),
                Ablation(
                    'TL, [8,4][4,2][1,1]',
                    {'groups': [[8, 4], [4, 2], [1, 1]]},
                    '',
                    '',
                    4_988_024,
                    'prints 1.14 G; by its Eq. 15 these groups have 1.11',
                ),
                Ablation(
                    'TL, [8,8][4,4][1,1], P',
                    {**_EIGHT, 'permutation': 'fixed_no_inverse'},
                    '75.41',
                    '',
                    4_988_024,
                    'shuffled and left so',
                ),
                Ablation(
                    'TL, [8,8][4,4][1,1], P + I',
                    {**_EIGHT, 'permutation': 'fixed_always'},
                    '75.94',
                    '',
                    4_988_024,
                    'put back in order; one slice is shuffled too, which changes nothing',
                ),
                Ablation('TL, [8,8][4,4][1,1], P + I - L', _EIGHT, '76.06', '', 4_988_024),
            ),
            'A row of other slices is another `model.backbone.groups`; all have the same '
            'parameters. The accuracies of the published groups are those of the repository.',
        ),
        Table(
            'Table 13',
            'learned residual coefficients',
            'sret_tl_global',
            4,
            (
                Ablation('neither', {**_PATCH_STEM, **_PLAIN}, '74.7', note=_AS_TABLE_3),
                Ablation(
                    'of the identity', {**_PATCH_STEM, 'shortcut.coefficients': 'identity'}, '75.0'
                ),
                Ablation(
                    'of the branch', {**_PATCH_STEM, 'shortcut.coefficients': 'branch'}, '74.9'
                ),
                Ablation('of both', _PATCH_STEM, '75.2', note=_AS_TABLE_3),
            ),
        ),
        Table(
            'Table 14',
            'deeper DeiT-Ti',
            'deit_ti',
            5,
            (
                Ablation('12 blocks', {}, '72.2', '', 5_717_416),
                Ablation(
                    '24 blocks',
                    {'arch.depth': 24},
                    count=11_055_784,
                    note='prints 11.55 M, which must be a slip: every 12 blocks add 5.338 M',
                ),
                Ablation('36 blocks', {'arch.depth': 36}, count=16_394_152),
                Ablation('48 blocks', {'arch.depth': 48}, count=21_732_520),
            ),
        ),
    ),
)
