"""The sizes that papers print: parameters and FLOPs of every model, and how each paper counts.

Numbers are kept as printed, because their digits say how exact they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..complexity import Complexity, Sizes


@dataclass(frozen=True)
class Convention:
    """How a paper counts.

    Attributes:
        text: for readers.
        parameters, flops: the counted numbers of a model's :class:`Sizes` and :class:`Complexity`.
    """

    text: str
    parameters: Callable[[Sizes], float]
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


@dataclass(frozen=True)
class Row:
    """The size of one model as published.

    Attributes:
        name: for ``create_model``.
        parameters: in millions, as printed; empty if not printed, or not known to us.
        flops: in 1e9, at 224 x 224, as printed; empty likewise.
        source: where they are printed.
        note: what the numbers need to be read right; why ours differ.
        options: for ``create_model``.
    """

    name: str
    parameters: str = ''
    flops: str = ''
    source: str = ''
    note: str = ''
    options: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Family:
    """Models that one paper counts in one way.

    Attributes:
        title: for readers.
        convention: a key of :data:`CONVENTIONS`.
        rows: the models.
        tasks: of the accuracies that belong to them; keys of :data:`TASKS`.
    """

    title: str
    convention: str
    rows: tuple[Row, ...]
    tasks: tuple[str, ...] = ('imagenet',)


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
_MSF = 'MSF, Table 6'
_TWO_GROUPS = {'groups': 2}
_TL_SLICES = {'groups': ((16, 1), (14, 1), (1, 1))}

FAMILIES = (
    Family(
        'DeiT',
        'macs',
        (
            Row('deit_ti', '5', '', 'DeiT, Table 5', _ROUNDED_DOWN),
            Row('deit_s', '22', '', 'DeiT, Table 5'),
            Row('deit_b', '86', '', 'DeiT, Table 5', _ROUNDED_DOWN),
            Row('deit_ti_distilled', '6', '', "DeiT, repository's README"),
            Row('deit_s_distilled', '22', '', "DeiT, repository's README"),
            Row('deit_b_distilled', '87', '', "DeiT, repository's README"),
        ),
    ),
    Family(
        'Augmented shortcuts',
        'aug',
        (
            Row('aug_vit_ti', note='not in the paper'),
            Row(
                'aug_vit_s',
                '22.2',
                '4.7',
                'Aug-ViT, Table 2',
                'adds 0.07 to DeiT-S printed as 22.1, which has 22.05',
            ),
            Row(
                'aug_vit_b',
                '86.5',
                '17.7',
                'Aug-ViT, Table 2',
                'adds to DeiT-B printed as 86.4, which has 86.57',
            ),
            Row('aug_pvt_s', '24.6', '3.9', 'Aug-ViT, Table 2', _NO_CODE),
            Row('aug_pvt_m', '44.3', '6.8', 'Aug-ViT, Table 2', _NO_CODE),
            Row('aug_t2t_14', '21.6', '5.3', 'Aug-ViT, Table 2', _T2T_BASE),
            Row('aug_t2t_19', '39.3', '9.0', 'Aug-ViT, Table 2', _T2T_BASE),
            Row(
                'aug_t2t_24',
                '64.2',
                '14.3',
                'Aug-ViT, Table 2',
                f'{_T2T_BASE}; 64.1 and 0.2 added make 64.3',
            ),
        ),
    ),
    Family(
        'PVT',
        'macs',
        (
            Row('pvt_t', '13.2', '1.9', "PVT, repository's README; FLOPs: the paper"),
            Row('pvt_s', '24.5', '3.8', "PVT, repository's README; FLOPs: the paper"),
            Row('pvt_m', '44.2', '6.7', "PVT, repository's README; FLOPs: the paper"),
            Row('pvt_l', '61.4', '9.8', "PVT, repository's README; FLOPs: the paper"),
        ),
    ),
    Family(
        'T2T-ViT',
        'macs',
        (
            Row('t2t_14', '21.5', '4.8', "T2T-ViT, repository's README"),
            Row('t2t_19', '39.2', '8.5', "T2T-ViT, repository's README"),
            Row('t2t_24', '64.1', '13.8', "T2T-ViT, repository's README", _UNEXPLAINED),
            Row('t2t_t_14', '21.5', '6.1', "T2T-ViT, repository's README"),
            Row(
                't2t_t_19',
                '39.2',
                '9.8',
                "T2T-ViT, repository's README",
                'accuracy in Table 3 of the paper: 82.2',
            ),
            Row('t2t_t_24', '64.1', '15.0', "T2T-ViT, repository's README"),
        ),
    ),
    Family(
        'TNT',
        'fvcore',
        (
            Row('tnt_ti', '6.076', '', 'TNT, NeurIPS 2021', 'not in its code'),
            Row('tnt_s', '23.8', '5.2', "TNT, repository's README"),
            Row('tnt_b', '65.6', '14.1', "TNT, repository's README", _INCLUDED),
            Row('tnt_s_se', '24.7', '5.2', 'TNT, NeurIPS 2021', 'accuracy of TNT-S there: 81.3'),
            Row('tnt_s_legacy', '23.76', '5.24', 'timm'),
        ),
    ),
    Family(
        'SReT',
        'fvcore',
        (
            Row('sret_t', '4.8', '1.1', "SReT, repository's README"),
            Row('sret_t_global', '4.8', '1.4', "SReT, repository's README"),
            Row('sret_tl', '5.0', '1.2', "SReT, repository's README"),
            Row('sret_tl', '5.0', '1.2', "SReT, repository's README", options=_TL_SLICES),
            Row('sret_tl_global', '5.0', '1.4', "SReT, repository's README"),
            Row('sret_s', '20.9', '4.2', "SReT, repository's README"),
            Row('sret_s_global', '20.9', '4.7', "SReT, repository's README"),
            Row('sret_ext', '4.0', '0.7', 'SReT, Table 2', _READING),
            Row(
                'sret_b',
                '71.2',
                '',
                'SReT, Table 12',
                f'{_READING}; Table 12 built as printed has 144.7 M',
            ),
            Row(
                'sret_108',
                source='SReT (paper)',
                note=f'{_READING}, it says "13-15M"',
            ),
        ),
    ),
    Family(
        'Mean-shift feature transformer',
        'msf',
        (
            Row('simple_vit_ti', '5.65', '2.50', _MSF, _COUNTER),
            Row('simple_vit_ss', '11.30', '4.64', _MSF, _COUNTER),
            Row('simple_vit_s', '21.91', '9.16', _MSF, _COUNTER),
            Row('simple_vit_b', '86.29', '34.96', _MSF, _COUNTER),
            Row('msf_vit_ti', '6.09', '2.67', _MSF),
            Row('msf_vit_ss', '12.18', '4.98', _MSF),
            Row('msf_vit_s', '23.68', '9.85', _MSF, _COUNTER),
            Row('msf_vit_b', '93.37', '37.73', _MSF, _COUNTER),
            Row('msf_vit_ti', '5.20', '2.32', _MSF, '5.2055 is printed as 5.20', _TWO_GROUPS),
            Row('msf_vit_ss', '10.41', '4.29', _MSF, '', _TWO_GROUPS),
            Row('msf_vit_s', '20.14', '8.46', _MSF, _COUNTER, _TWO_GROUPS),
            Row('msf_vit_b', '79.21', '32.18', _MSF, _COUNTER, _TWO_GROUPS),
            Row('msf_swin_t', '30.36', '9.68', _MSF, _COUNTER),
            Row('msf_swin_s', '53.36', '18.88', _MSF, _COUNTER),
            Row('msf_swin_t', '26.04', '8.29', _MSF, '', _TWO_GROUPS),
            Row('msf_swin_s', '45.51', '16.10', _MSF, _COUNTER, _TWO_GROUPS),
            Row('swin_t', '28.20', '8.99', _MSF, _COUNTER),
            Row('swin_s', '49.43', '17.49', _MSF, _COUNTER),
        ),
        ('imagenet', 'imagenet_300e'),
    ),
    Family(
        'Swin',
        'macs',
        (
            Row('swin_t', '28', '4.5', "Swin, repository's README"),
            Row('swin_s', '50', '8.7', "Swin, repository's README"),
        ),
        ('imagenet_other',),
    ),
    Family(
        'MLP-Mixer',
        'macs',
        (
            Row('mixer_b16', '59.9', '12.6', "timm's model card", 'pretrained on ImageNet-21k'),
            Row(
                'recursive_mixer_b16',
                source='SReT, Fig. 6',
                note='no code published; accuracy is shown as a curve only',
            ),
        ),
        ('imagenet_other',),
    ),
)
