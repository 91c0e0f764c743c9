"""The command line of a suite."""

import sys
from argparse import Action, ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator

from vitbackbones.commands.benchmark import add_rounds
from vitbackbones.commands.ending import run
from vitbackbones.results.benchmark.comparing import report

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
