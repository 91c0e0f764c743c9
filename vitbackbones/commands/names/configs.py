"""``vitbackbones configs``: the shipped configs by name, made from their headers; none is run."""

import re
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from ...configuration.index import facts
from ...configuration.names import config_files
from ...errors import InputError
from ...utils.messages import did_you_mean

EXAMPLES = """\
examples:
  %(prog)s                all of them
  %(prog)s 'detr*coco'
  %(prog)s quick          for pictures of your own

The number is the one that the paper printed, the first of its row.
"""
FIRST = re.compile(r'(\d[\d.]*)[^()]*\(([\w-]+)')  # of 35.7 56.7 36.5 (AP AP50 AP75, COCO val2017).


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    parser.epilog = EXAMPLES
    add = parser.add_argument
    wanted = 'part of a name, or a pattern with * and ? (default: all)'
    add('pattern', nargs='?', default='*', metavar='PATTERN', help=wanted)
    add('--names', action='store_true', help='print only the names')


def configs(options: Namespace) -> None:
    """List the configs whose names fit a pattern.

    Raises:
        InputError: there is none.
    """
    files = config_files()
    found = matching(files, options.pattern)
    if options.names:
        print(*found, sep='\n')
    else:
        print(columns([(name, *described(files[name])) for name in found]))


def described(file: Path) -> tuple[str, str]:
    """Return the title of a config and the number that was published, ``''`` if there is none."""
    said = facts(file)
    number = FIRST.match(said.get('Published', ''))
    return said['Title'], ' '.join(number.groups()) if number else ''


# ------------------------------------------------------------------------ lists of names


def matching(names: Iterable[str], pattern: str) -> list[str]:
    """Return the names that a pattern fits, or that hold it where it has no ``*``, ``?`` or ``[``.

    Raises:
        InputError: there is none; the nearest are given.
    """
    names = list(names)
    wanted = pattern if set('*?[') & set(pattern) else f'*{pattern}*'
    found = [name for name in names if fnmatchcase(name, wanted)]
    if not found:
        raise InputError(f'{pattern}: fits no name{did_you_mean(pattern, names)}')
    return found


def columns(rows: Sequence[Sequence[str]]) -> str:
    """Return lines of cells, each column as wide as its widest cell.

    >>> print(columns([('name', 'top-1'), ('deit_ti', '72.2')]))
    name     top-1
    deit_ti  72.2
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ((f'{cell:<{width}}' for cell, width in zip(row, widths, strict=True)) for row in rows)
    return '\n'.join('  '.join(cells).rstrip() for cells in lines)
