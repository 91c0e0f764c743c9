"""Sets of models to compare, by name.

A group is compared in one run of its own, each model with the first.
"""

from dataclasses import dataclass

Size = tuple[int, int]


@dataclass(frozen=True)
class Suite:
    """Groups of models, and what they are measured on unless the command line says otherwise.

    Attributes:
        groups: the models of each, as ``model_sources`` names them; the first is the unit.
        batches: numbers of images for each (height, width).
    """

    groups: tuple[tuple[str, ...], ...]
    batches: dict[Size, tuple[int, ...]]


SUITES = {
    # what a part costs: its host without it first
    'parts': Suite(
        (
            (
                'ours:deit_s',
                'ours:aug_vit_s',
                'ours:tnt_s',
                'ours:deit_s,recursion.passes=2',
                'ours:deit_s,recursion.passes=2,recursion.nll_ratio=1',
            ),
            ('ours:pvt_s', 'ours:aug_pvt_s'),
            ('ours:t2t_14', 'ours:aug_t2t_14'),
            ('ours:simple_vit_s', 'ours:msf_vit_s', 'ours:msf_vit_s,groups=2'),
            ('ours:swin_t', 'ours:msf_swin_t'),
            ('ours:sret_t,passes=1', 'ours:sret_t', 'ours:sret_t_global'),
            ('ours:tnt_s', 'ours:tnt_s_se'),
        ),
        {(224, 224): (8,), (800, 1333): (1,)},
    ),
}
