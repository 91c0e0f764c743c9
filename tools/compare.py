"""Train the variants of a study, seed by seed, and say which differences exceed the noise.

    python tools/compare.py configs/studies/shortcut.py --dry-run
    OMP_NUM_THREADS=1 python tools/compare.py configs/studies/shortcut.py --jobs 2
    python tools/compare.py configs/studies/shortcut.py --gpus 0 1 2 3

A study (vitbackbones/commands/study.py) names a base config, variants of it, seeds and the numbers
of a paper. Every variant is checked and built before the first run. Each run is tools/train.py in
a process and a folder of its own. The same command goes on after Ctrl-C or a failure: finished
runs are kept, begun ones are resumed. The table (table.md, table.csv, runs.csv) has what is there.
"""

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))  # an installed package comes first

from vitbackbones.commands.cli import count, run
from vitbackbones.commands.compare import compare


def parse() -> Namespace:
    parser = ArgumentParser(
        description=__doc__, formatter_class=RawDescriptionHelpFormatter, allow_abbrev=False
    )
    add = parser.add_argument
    add('study', help='a file of configs/studies/')
    add(
        '--work-dir',
        default='work_dirs/studies',
        metavar='DIR',
        help='runs go to DIR/STUDY/VARIANT/seed_N (default: %(default)s)',
    )
    add('--data-root', help='folder of the data set, in place of the one that the base names')
    places = parser.add_mutually_exclusive_group()
    places.add_argument(
        '--gpus',
        nargs='+',
        type=int,
        metavar='N',
        help='one run at a time on each; numbers from 0 of the GPUs that this process may use',
    )
    places.add_argument(
        '--jobs',
        type=count,
        default=1,
        metavar='N',
        help='runs at the same time; on a CPU they share its cores (default: 1)',
    )
    add('--dry-run', action='store_true', help='check everything, print what would run, and stop')
    return parser.parse_args()


def main() -> None:
    compare(parse(), tools=Path(__file__).resolve().parent)


if __name__ == '__main__':
    sys.exit(run(main))
