"""TNT: position codes, heads and size of its pixel tokens."""

from .table import Ablation, Paper, Table

_WIDTH = (
    'the width of these pixel tokens is not printed; this one has the printed size, with the '
    'frozen, unused `outer_tokens` of the code (0.075 M)'
)

TNT = Paper(
    'TNT (Han et al., "Transformer in Transformer", first version on arXiv, 2021)',
    'top-1, ImageNet val',
    'macs',
    (
        Table(
            'Table 5',
            'position codes of patches and pixels',
            'tnt_s',
            4,
            (
                Ablation('neither', {'patch_position': False, 'pixel_position': False}, '80.5'),
                Ablation('patches', {'pixel_position': False}, '80.8'),
                Ablation('pixels', {'patch_position': False}, '80.7'),
                Ablation('both', {}, '81.3', '', 23_768_584),
            ),
        ),
        Table(
            'Table 6',
            'heads of the inner attention',
            'tnt_s',
            4,
            (
                Ablation('1', {'arch.inner_heads': 1}),
                Ablation('2', {'arch.inner_heads': 2}),
                Ablation('4', {}, '81.3', '', 23_768_584),
                Ablation('8', {'arch.inner_heads': 8}),
            ),
        ),
        Table(
            'Table 7',
            "side p' of a pixel token, in pixels of the image",
            'tnt_s',
            3,
            (
                Ablation(
                    '2',
                    {'pixels': 2, 'arch.inner_dims': 6, 'arch.inner_heads': 1},
                    '81.0',
                    '23.8',
                    note=_WIDTH,
                ),
                Ablation('4', {}, '81.3', '23.8', 23_768_584),
                Ablation(
                    '8',
                    {'pixels': 8, 'arch.inner_dims': 96},
                    '81.1',
                    '25.1',
                    note=_WIDTH,
                ),
            ),
        ),
    ),
)
