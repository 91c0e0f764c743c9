"""What the checks of data sets share: which files are there, and lists short enough to read."""

import os
from collections.abc import Callable, Iterable

SHOWN = 5  # items of a list in a message


def some(items: Iterable, show: Callable[[object], str] = repr) -> str:
    """The first items of a list in words.

    >>> some('abcdefg')
    "'a', 'b', 'c', 'd', 'e' and 2 more"
    """
    items = list(items)
    more = f' and {len(items) - SHOWN} more' if len(items) > SHOWN else ''
    return ', '.join(map(show, items[:SHOWN])) + more


def not_there(folder: str, names: list[str]) -> list[str]:
    """Those of ``names`` that are not below ``folder``.

    Each folder is listed once, since asking per file is slow.
    """
    parts = [os.path.split(name) for name in names]
    found = {part: _listing(os.path.join(folder, part)) for part in {part for part, _ in parts}}
    return [os.path.join(part, name) for part, name in parts if name not in found[part]]


def _listing(folder: str) -> set[str]:
    try:
        with os.scandir(folder or '.') as entries:
            return {entry.name for entry in entries}
    except (FileNotFoundError, NotADirectoryError):
        return set()
