"""What a part costs: every host first without it, then with it.

A group is compared in one run of its own, each model with the first.
MODEL is a host, such as deit_s.
"""

from argparse import Namespace
from collections.abc import Iterator

from vitbackbones.errors import InputError

from .command import add_cases, add_models, start
from .comparing import cases, compared
from .sources import SOURCES

# host: the same network with a part
GROUPS = {
    'deit_s': (
        'aug_vit_s',
        'tnt_s',
        'deit_s,recursion.passes=2',
        'deit_s,recursion.passes=2,recursion.nll_ratio=1',
    ),
    'pvt_s': ('aug_pvt_s',),
    't2t_14': ('aug_t2t_14',),
    'simple_vit_s': ('msf_vit_s', 'msf_vit_s,groups=2'),
    'swin_t': ('msf_swin_t',),
    'sret_t,passes=1': ('sret_t', 'sret_t_global'),
    'tnt_s': ('tnt_s_se',),
}
# numbers of images for each (height, width), unless the command line says otherwise
BATCHES = {(224, 224): (8,), (800, 1333): (1,)}


def rows(options: Namespace) -> Iterator[dict]:
    """Yield a row for every case, group and model."""
    for name in options.models:
        if name not in GROUPS:
            raise InputError(f'{name}: not a host of the suite; it has {", ".join(GROUPS)}')
    for case in cases(options, BATCHES):
        for host in options.models or GROUPS:
            group = [f'ours:{name}' for name in (host, *GROUPS[host])]
            yield from compared(group, case, options, SOURCES)


def add_features(add) -> None:
    add('--features', action='store_true', help="compare backbones' maps in place of logits")


if __name__ == '__main__':
    start(__doc__, rows, add_models, add_cases, add_features)
