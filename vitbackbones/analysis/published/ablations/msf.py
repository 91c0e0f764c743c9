"""MSF: shared, grouped and other projections of its attention and of the plain one."""

from .table import Ablation, Paper, Table

_BLOCK_LAYOUT = {'groups': 2, 'attention.layout': 'block'}
_SHARED = {'attention.sharing': 'QKKKW'}

MSF = Paper(
    'MSF (Kobayashi, "Mean-Shift Feature Transformer", CVPR 2024)',
    'top-1, ImageNet val, 100 epochs',
    'msf',
    (
        Table(
            'Table 1',
            'which matrices of the mean-shift attention are one',
            'msf_vit_s',
            18,
            (
                Ablation('QKVPW', {}, '79.79', '23.68', 23_727_976),
                Ablation('QKVPP', {'attention.sharing': 'QKVPP'}, '79.52', '21.91'),
                Ablation('QKKKW', _SHARED, '78.82', '20.14'),
            ),
            'A letter for each role: query, key, value, probe, and the weight behind them; equal '
            'letters are one matrix. All 52 ways to share build, and have the printed sizes: 16.60 '
            'M with one matrix, then 18.37, 20.14, 21.91 and 23.68.',
        ),
        Table(
            'Table 2',
            'which matrices of dot-product attention are one',
            'simple_vit_s',
            9,
            (
                Ablation('a QQQQ', {'attention.sharing': 'QQQQ'}, '71.34', '16.60'),
                Ablation('b QKKQ', {'attention.sharing': 'QKKQ'}, '76.25', '18.37'),
                Ablation('c QQQW', {'attention.sharing': 'QQQW'}, '76.04', '18.37'),
                Ablation('d QQVQ', {'attention.sharing': 'QQVQ'}, '77.25', '18.37'),
                Ablation('e QQVV', {'attention.sharing': 'QQVV'}, '74.64', '18.37'),
                Ablation('f QQVW', {'attention.sharing': 'QQVW'}, '78.04', '20.14'),
                Ablation('g QKKW', {'attention.sharing': 'QKKW'}, '78.38', '20.14'),
                Ablation('h QKVV', {'attention.sharing': 'QKVV'}, '76.47', '20.14'),
                Ablation('i QKVW', {}, '78.98', '21.91', 21_958_504),
            ),
            'Where the weight shares, it is the transpose of the other matrix.',
        ),
        Table(
            'Table 3',
            'the probe of the mean-shift attention',
            'msf_vit_s',
            3,
            (
                Ablation('MSF', {}, '79.79', '', 23_727_976),
                Ablation('residual (Eq. 14)', {'attention.probe': 'residual'}),
                Ablation('Gauss-Orig', {'attention.probe': None}),
            ),
        ),
        Table(
            'Table 4',
            'grouped projections',
            'msf_vit_s',
            8,
            (
                Ablation('QKVPW, 1 group', {}, '79.79', '23.68', 23_727_976),
                Ablation('QKVPW, 2 groups', {'groups': 2}, '79.55', '20.14', 20_189_032),
                Ablation(
                    'QKVPW, 2 groups (block)',
                    _BLOCK_LAYOUT,
                    '78.87',
                    '20.14',
                    20_189_032,
                    'as in Fig. 2a; the published class makes blocks of all projections at once',
                ),
                Ablation('QKKKW, 1 group', _SHARED, '78.82', '20.14'),
                Ablation('QKKKW, 2 groups', {**_SHARED, 'groups': 2}, '', '18.37'),
            ),
            'Other rows combine `groups`, `attention.layout` and `attention.sharing` in the same '
            'way; a matrix that the weight shares cannot be grouped.',
        ),
    ),
)
