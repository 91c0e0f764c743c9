"""``vitbackbones configs`` and ``vitbackbones models``: list what can be used by name.

options:
  pattern  list names that contain this text or match this pattern with * and ? (default: all)

examples:
  %(prog)s             list all
  %(prog)s deit        list names that contain it
  %(prog)s '*sret*'    list names that match the pattern

A published number is the one printed in the paper, the first in its row.
"""

import re
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from ...configuration.index import facts
from ...configuration.names import config_files
from ...errors import InputError
from ...utils.messages import did_you_mean

HEADINGS = ('model', 'parameters', 'image', 'published top-1')
FIRST = re.compile(r'(\d[\d.]*)[^()]*\(([\w-]+)')  # of 35.7 56.7 36.5 (AP AP50 AP75, COCO val2017).


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    parser.add_argument('pattern', nargs='?', default='*', metavar='PATTERN')


def configs(options: Namespace) -> None:
    """List the configs whose names fit a pattern, made from their headers; none is run.

    Raises:
        InputError: there is none.
    """
    files = config_files()
    print(columns([(name, *described(files[name])) for name in matching(files, options.pattern)]))


def models(options: Namespace) -> None:
    """List the models that are built by a name that fits a pattern.

    Raises:
        InputError: there is none.
    """
    import torch  # which the list of configs does not wait for

    from ...backbones.by_name import create_model
    from ...backbones.names import list_models
    from ...weights.table import PUBLISHED

    rows = [HEADINGS]
    for name in matching(list_models(), options.pattern):
        with torch.device('meta'):  # shapes are enough
            model = create_model(name)
        count = sum(parameter.numel() for parameter in model.parameters())
        _, height, width = model.data_config['input_size']
        entry = PUBLISHED.get(name)
        top1 = f'{entry.top1}' if entry and entry.top1 else ''
        rows.append((name, f'{count / 1e6:.2f} M', f'{height} x {width}', top1))
    print(columns(rows))


def described(file: Path) -> tuple[str, str]:
    """Return the title of a config and the number that was published, ``''`` if there is none."""
    said = facts(file)
    number = FIRST.match(said.get('Published', ''))
    return said['Title'], ' '.join(number.groups()) if number else ''


def matching(names: Iterable[str], pattern: str) -> list[str]:
    """Return the names that a pattern fits, or that hold it where it has no ``*``, ``?`` or ``[``.

    Raises:
        InputError: there is none; the nearest are given.
    """
    names = list(names)
    wanted = pattern if set('*?[') & set(pattern) else f'*{pattern}*'
    found = [name for name in names if fnmatchcase(name, wanted)]
    if not found:
        raise InputError(f'{pattern}: matches no name{did_you_mean(pattern, names)}')
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
