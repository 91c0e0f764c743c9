"""What the papers print of every model: parameters, FLOPs and ImageNet accuracy.

Numbers are kept as printed, because their digits say how exact they are. An empty string: not
printed, or not at hand when this table was made.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from .complexity import Complexity


@dataclass(frozen=True)
class Convention:
    """How a paper counts.

    Attributes:
        text: for readers.
        parameters, flops: the counted numbers of a :class:`Complexity`.
    """

    text: str
    parameters: Callable[[Complexity], float]
    flops: Callable[[Complexity], float]


CONVENTIONS = {
    'macs': Convention('all parameters; multiply-adds', lambda c: c.parameters, lambda c: c.macs),
    'fvcore': Convention(
        'all parameters; multiply-adds, 5 per element of a LayerNorm, 2 of a BatchNorm (fvcore)',
        lambda c: c.parameters,
        lambda c: c.macs + c.norms,
    ),
    'aug': Convention(
        'parameters without the biases of augmented paths; multiply-adds, paths through the FFT',
        lambda c: c.parameters - c.path_biases,
        lambda c: c.macs,
    ),
    'msf': Convention(
        'weights of linear and convolution layers alone; twice the multiply-adds',
        lambda c: c.weights,
        lambda c: 2 * c.macs,
    ),
}


_UNKNOWN = 'not at hand'


@dataclass(frozen=True)
class Row:
    """One model as published.

    Attributes:
        name: for ``create_model``.
        parameters: in millions, as printed.
        flops: in 1e9, at 224 x 224, as printed.
        top1: ImageNet-1k top-1 accuracy in percent, as printed, or why there is none.
        source: where the three are printed.
        note: what the numbers need to be read right; why ours differ.
        options: for ``create_model``.
    """

    name: str
    parameters: str = ''
    flops: str = ''
    top1: str = _UNKNOWN
    source: str = ''
    note: str = ''
    options: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Family:
    """Models that one paper counts in one way."""

    title: str
    convention: str
    rows: tuple[Row, ...]


_ROUNDED_DOWN = 'printed without decimals, rounded down'
_INCLUDED = 'counts the frozen, unused `outer_tokens` of its code'
_COUNTER = 'its counter seems to count some elementwise work too'
_UNEXPLAINED = 'not explained; the other five agree'
_T2T_BASE = (
    "adds to 5.2 / 8.9 / 14.1 G for plain T2T-ViT, which T2T-ViT's own README counts as "
    '4.8 / 8.5 / 13.8'
)
_NO_CODE = 'no code published; parameters determine two paths around both branches'
_READING = 'a reading of ours: the paper does not determine the layout'
_MSF = 'MSF, Table 6; accuracy: 100 / 300 epochs'
_TL_SLICES = {'groups': ((16, 1), (14, 1), (1, 1))}

FAMILIES = (
    Family(
        'DeiT',
        'macs',
        (
            Row('deit_ti', '5', '', '72.2', 'DeiT, Table 5', _ROUNDED_DOWN),
            Row('deit_s', '22', '', '79.8', 'DeiT, Table 5'),
            Row('deit_b', '86', '', '81.8', 'DeiT, Table 5', _ROUNDED_DOWN),
        ),
    ),
    Family(
        'Augmented shortcuts',
        'aug',
        (
            Row('aug_vit_ti', top1='not printed', note='not in the paper'),
            Row(
                'aug_vit_s',
                '22.2',
                '4.7',
                '80.9',
                'Aug-ViT, Table 2',
                'adds 0.07 to DeiT-S printed as 22.1, which has 22.05',
            ),
            Row(
                'aug_vit_b',
                '86.5',
                '17.7',
                '82.4',
                'Aug-ViT, Table 2',
                'adds to DeiT-B printed as 86.4, which has 86.57',
            ),
            Row('aug_pvt_s', '24.6', '3.9', '80.5', 'Aug-ViT, Table 2', _NO_CODE),
            Row('aug_pvt_m', '44.3', '6.8', '82.3', 'Aug-ViT, Table 2', _NO_CODE),
            Row('aug_t2t_14', '21.6', '5.3', '82.1', 'Aug-ViT, Table 2', _T2T_BASE),
            Row('aug_t2t_19', '39.3', '9.0', '82.9', 'Aug-ViT, Table 2', _T2T_BASE),
            Row(
                'aug_t2t_24',
                '64.2',
                '14.3',
                '83.6',
                'Aug-ViT, Table 2',
                f'{_T2T_BASE}; 64.1 and 0.2 added make 64.3',
            ),
        ),
    ),
    Family(
        'PVT',
        'macs',
        (
            Row('pvt_t', '13.2', '1.9', '75.1', "PVT's README; FLOPs: the paper"),
            Row('pvt_s', '24.5', '3.8', '79.8', "PVT's README; FLOPs: the paper"),
            Row('pvt_m', '44.2', '6.7', '81.2', "PVT's README; FLOPs: the paper"),
            Row('pvt_l', '61.4', '9.8', '81.7', "PVT's README; FLOPs: the paper"),
        ),
    ),
    Family(
        'T2T-ViT',
        'macs',
        (
            Row('t2t_14', '21.5', '4.8', '81.5', "T2T-ViT's README"),
            Row('t2t_19', '39.2', '8.5', '81.9', "T2T-ViT's README"),
            Row(
                't2t_24',
                '64.1',
                '13.8',
                '82.3',
                "T2T-ViT's README",
                _UNEXPLAINED,
            ),
            Row('t2t_t_14', '21.5', '6.1', '81.7', "T2T-ViT's README"),
            Row(
                't2t_t_19', '39.2', '9.8', '82.4', "T2T-ViT's README", 'Table 3 of the paper: 82.2'
            ),
            Row('t2t_t_24', '64.1', '15.0', '82.6', "T2T-ViT's README"),
        ),
    ),
    Family(
        'TNT',
        'fvcore',
        (
            Row('tnt_ti', '6.076', '', _UNKNOWN, 'TNT, NeurIPS 2021', 'not in its code'),
            Row('tnt_s', '23.8', '5.2', '81.5', "TNT's README"),
            Row('tnt_b', '65.6', '14.1', '82.9', "TNT's README", _INCLUDED),
            Row(
                'tnt_s_se',
                '24.7',
                '5.2',
                '81.6',
                'TNT, NeurIPS 2021; accuracy: Table 4 of its first version on arXiv',
                'TNT-S has 81.3 in that table',
            ),
            Row('tnt_s_legacy', '23.76', '5.24', '81.5', 'timm'),
        ),
    ),
    Family(
        'SReT',
        'fvcore',
        (
            Row('sret_t', '4.8', '1.1', '76.0', "SReT's README"),
            Row('sret_t_global', '4.8', '1.4', '76.1', "SReT's README"),
            Row('sret_tl', '5.0', '1.2', '76.7', "SReT's README"),
            Row('sret_tl', '5.0', '1.2', '76.6', "SReT's README", options=_TL_SLICES),
            Row('sret_tl_global', '5.0', '1.4', '76.8', "SReT's README"),
            Row('sret_s', '20.9', '4.2', '81.9', "SReT's README"),
            Row('sret_s_global', '20.9', '4.7', '82.0', "SReT's README"),
            Row('sret_t', '4.0', '0.7', '74.0', 'SReT (paper)', _READING, {'arch': 'ext'}),
            Row(
                'sret_s',
                '71.2',
                '',
                '82.7',
                'SReT, Table 12',
                f'{_READING}; Table 12 built as printed has 144.7 M',
                {'arch': 'b'},
            ),
            Row(
                'sret_t',
                source='SReT (paper)',
                note=f'SReT-108; {_READING}, it says "13-15M"',
                options={'arch': '108'},
            ),
        ),
    ),
    Family(
        'Mean-shift feature transformer',
        'msf',
        (
            Row('simple_vit_ti', '5.65', '2.50', '72.25 / 75.71', _MSF, _COUNTER),
            Row('simple_vit_ss', '11.30', '4.64', '74.65 / 77.22', _MSF, _COUNTER),
            Row('simple_vit_s', '21.91', '9.16', '78.98 / 80.98', _MSF, _COUNTER),
            Row('simple_vit_b', '86.29', '34.96', '81.47 / 82.67', _MSF, _COUNTER),
            Row('msf_vit_ti', '6.09', '2.67', '73.50 / 76.81', _MSF),
            Row('msf_vit_ss', '12.18', '4.98', '75.50 / 78.20', _MSF),
            Row('msf_vit_s', '23.68', '9.85', '79.79 / 81.49', _MSF, _COUNTER),
            Row('msf_vit_b', '93.37', '37.73', '81.79 / 82.86', _MSF, _COUNTER),
            Row(
                'msf_vit_ti',
                '5.20',
                '2.32',
                '72.74 / 76.20',
                _MSF,
                '5.2055 is printed as 5.20',
                {'groups': 2},
            ),
            Row('msf_vit_ss', '10.41', '4.29', '75.09 / 77.31', _MSF, '', {'groups': 2}),
            Row('msf_vit_s', '20.14', '8.46', '79.55 / 81.41', _MSF, _COUNTER, {'groups': 2}),
            Row('msf_vit_b', '79.21', '32.18', '81.70 / 82.65', _MSF, _COUNTER, {'groups': 2}),
            Row('msf_swin_t', '30.36', '9.68', '79.61 / 82.34', _MSF, _COUNTER),
            Row('msf_swin_s', '53.36', '18.88', '81.33 / 83.70', _MSF, _COUNTER),
            Row('msf_swin_t', '26.04', '8.29', '79.25 / 81.95', _MSF, '', {'groups': 2}),
            Row('msf_swin_s', '45.51', '16.10', '81.18 / 83.52', _MSF, _COUNTER, {'groups': 2}),
            Row('swin_t', top1='78.92 / 81.69', source=_MSF),
            Row('swin_s', top1='81.25 / 83.43', source=_MSF),
        ),
    ),
    Family(
        'Swin',
        'macs',
        (
            Row('swin_t', '28', '4.5', '81.2', "Swin's README"),
            Row('swin_s', '50', '8.7', '83.2', "Swin's README"),
        ),
    ),
    Family(
        'MLP-Mixer',
        'macs',
        (
            Row(
                'mixer_b16',
                '59.9',
                '12.6',
                '76.68',
                "timm's model card; accuracy: mmpretrain's model zoo",
                'pretrained on ImageNet-21k',
            ),
            Row(
                'recursive_mixer_b16',
                top1='not printed',
                source='SReT, Fig. 6',
                note='no code published; accuracy is shown as a curve only',
            ),
        ),
    ),
)
