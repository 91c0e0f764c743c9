"""Lists of names for a terminal: those that a pattern fits, in columns."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from ...errors import InputError
from ...utils.messages import did_you_mean


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
