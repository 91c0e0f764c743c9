"""What a part costs: every host first without it, then with it.

A group is compared in one run of its own, each model with the first.
"""

from argparse import Namespace
from collections.abc import Iterator, Mapping

from ...errors import InputError
from ..comparing import cases, compared
from ..model_sources import Source

GROUPS: tuple[tuple[str, ...], ...] = (
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
)
# numbers of images for each (height, width), unless the command line says otherwise
BATCHES: dict[tuple[int, int], tuple[int, ...]] = {(224, 224): (8,), (800, 1333): (1,)}


def rows(options: Namespace, sources: Mapping[str, Source]) -> Iterator[dict]:
    """Yield a row of the table for every case, group and model.

    ``options.models`` may name hosts, without their source; their groups alone are measured then.

    Raises:
        InputError: a host is named that no group begins with.
    """
    groups = {group[0].partition(':')[2]: group for group in GROUPS}
    for name in options.models:
        if name not in groups:
            raise InputError(f'{name}: not a host of the suite; it has {", ".join(groups)}')
    for case in cases(options, BATCHES):
        for host in options.models or groups:
            yield from compared(groups[host], case, options, sources)
