"""The command line of a suite."""

import sys
from argparse import Action, ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator

import torch

from vitbackbones.commands.cli import count, image_size
from vitbackbones.commands.ending import run

from .comparing import ENGINES, PRECISIONS, STEPS, report

Add = Callable[..., Action]


def start(
    about: str,
    rows: Callable[[Namespace], Iterator[dict]],
    *more: Callable[[Add], None],
    table: bool = True,
) -> None:
    """Read the command line, print what ``rows`` yields, write it to ``--out``, and exit.

    Args:
        about: the description of the suite.
        rows: yields the rows of its table, given the command line.
        more: add options, given ``add_argument``.
        table: whether ``--out`` is a CSV file of all rows.
    """
    parser = ArgumentParser(description=about, formatter_class=RawDescriptionHelpFormatter)
    for add_options in (*more, add_rounds):
        add_options(parser.add_argument)
    options = parser.parse_args()

    def measure() -> None:
        report(rows(options), options.out if table else None)

    sys.exit(run(measure))


def add_models(add: Add) -> None:
    """Add the names of some of the suite's models."""
    add('models', nargs='*', metavar='MODEL', help='measure these alone (default: all)')


def add_cases(add: Add) -> None:
    """Add the options that say in which cases models are compared."""
    sizes = "such as 224 512 800x1333 (default: 224, or a suite's own)"
    add('--size', nargs='+', type=image_size, metavar='H[xW]', help=sizes)
    batches = "numbers of images (default: 1 8, or a suite's own)"
    add('--batch', nargs='+', type=count, metavar='N', help=batches)
    timed = 'what is timed (default: forward)'
    add('--step', nargs='+', choices=STEPS, default=['forward'], help=timed)
    add('--engine', nargs='+', choices=ENGINES, default=['eager'], help='how it is run')
    numbers = 'format of numbers (default: float32)'
    add('--precision', nargs='+', choices=PRECISIONS, default=['float32'], help=numbers)


def add_rounds(add: Add) -> None:
    """Add the options that say where, how often, and into which file."""
    device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')
    place = 'where models run (default: a GPU if there is one)'
    add('--device', type=torch.device, default=device, help=place)
    add('--warm-up', type=int, default=2, metavar='N', help='unmeasured rounds (default: 2)')
    add('--repeats', type=count, default=10, metavar='N', help='measured rounds (default: 10)')
    add('--out', metavar='FILE', help='CSV file to write')
