"""The names of classes that people write: lists of them in files, and two spellings of one."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from ...errors import InputError
from ...utils.messages import shorten, some
from .folder import read_text


def in_words(names: Sequence[str]) -> str:
    """Return how many classes there are, and the first names.

    >>> in_words(['cat', 'dog'])
    '2 classes: cat, dog'
    """
    return f'{len(names)} class{"" if len(names) == 1 else "es"}: {shorten(names)}'


def spelling_warnings(source: str, names: Iterable[str]) -> list[str]:
    """Return a warning for names that differ in case, spaces, ``-`` and ``_`` alone."""
    alike = defaultdict(list)
    for name in names:
        alike[''.join(c for c in name.casefold() if c not in ' -_')].append(name)
    return [
        f'{source}: {some(group)} are different classes, although they read alike; if one class is '
        'meant, give it one name'
        for group in alike.values()
        if len(group) > 1
    ]


def names_in_lines(file: Path) -> list[str]:
    """Read names from a file with one in each line.

    Raises:
        InputError: it is no text, is empty, or has a name twice.
    """
    names = [line.strip() for line in read_text(file).splitlines() if line.strip()]
    if not names or len(set(names)) < len(names):
        raise InputError(f'{file}: write the names of the classes into it, each in a line, once.')
    return names
