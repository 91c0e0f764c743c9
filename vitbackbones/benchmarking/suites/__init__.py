"""Whole comparisons by name: what is measured together, on what, and how it becomes rows."""

from collections.abc import Callable, Iterator
from pkgutil import resolve_name

# name: what yields the rows of its table, given the command line and the sources of models
SUITES: dict[str, str] = {
    'parts': f'{__name__}.parts:rows',
    'cpu': f'{__name__}.cpu:rows',
    'gpu': f'{__name__}.gpu:rows',
    'data': f'{__name__}.data:rows',
    'scale': f'{__name__}.scale:rows',
    'startup': f'{__name__}.startup:rows',
    'train': f'{__name__}.train:rows',
}
# those that write several tables, into the folder --out
FOLDERS = {'gpu'}
# those that can be restricted to some of their models
IN_PIECES = {'cpu', 'parts'}


def suite_rows(name: str) -> Callable[..., Iterator[dict]]:
    """Return what measures a suite; only then is the module of the suite imported."""
    return resolve_name(SUITES[name])
