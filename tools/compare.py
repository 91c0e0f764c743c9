"""Train the variants of a study, seed by seed, and compare them with a paper's numbers.

A study (tools/studies/study.py) names a base config, variants of it, seeds and the numbers of a
paper. Every variant is checked and built before the first run. Each run trains in its own process
and folder. After Ctrl-C or a failure, run the same command again: finished runs are kept, and
interrupted runs are resumed. The tables and the figure (table.md, table.csv, runs.csv, study.png)
contain all finished runs.

examples:
  %(prog)s configs/studies/shortcut.py --dry-run
  %(prog)s configs/studies/shortcut.py --jobs 2
  %(prog)s configs/studies/shortcut.py --gpus 0 1 2 3
"""

import sys
from argparse import Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[1]))  # before an installed package

from vitbackbones.commands.cli import add_shared, count
from vitbackbones.commands.ending import run
from vitbackbones.commands.main import Parser
from vitbackbones.configuration.doctor import import_needed


def read_arguments(words: Sequence[str]) -> Namespace:
    """Read the command line."""
    parser = Parser(
        prog='python tools/compare.py',
        description=__doc__,
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add('study', metavar='STUDY', help='file of the study, such as those in configs/studies/')
    folder = 'folder for the runs, DIR/STUDY/VARIANT/seed_N (default: %(default)s)'
    add('--work-dir', default='work_dirs/studies', metavar='DIR', help=folder)
    add_shared(add, '--data-root')
    places = parser.add_mutually_exclusive_group()
    each = (
        'train one run at a time on each of these GPUs, numbered from 0 among the GPUs that this '
        'process may use'
    )
    places.add_argument('--gpus', nargs='+', type=int, metavar='N', help=each)
    together = 'train N runs at the same time; on a CPU they share its cores (default: 1)'
    places.add_argument('--jobs', type=count, default=1, metavar='N', help=together)
    cluster = (
        'train the runs on this Ray cluster: auto, local, HOST:PORT or ray://HOST:PORT; all its '
        'nodes need this clone, the data and DIR'
    )
    places.add_argument('--ray', metavar='ADDRESS', help=cluster)
    add('--dry-run', action='store_true', help='check everything, print the runs, and stop')
    return parser.parse_args(words)


def main(options: Namespace) -> None:
    """Do what the head of this file describes.

    Raises:
        InputError: a package is missing, or see :func:`~tools.studies.comparing.compare`.
    """
    import_needed('running.train', 'tools/compare.py')
    from tools.studies.comparing import compare  # here: a missing package is one message

    compare(options)


if __name__ == '__main__':
    sys.exit(run(partial(main, read_arguments(sys.argv[1:]))))
