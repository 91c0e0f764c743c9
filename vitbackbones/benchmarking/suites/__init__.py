"""Whole comparisons by name: what is measured together, on what, and how it becomes rows."""

from collections.abc import Callable, Iterator
from pkgutil import resolve_name

from ...errors import InputError

# name: what yields the rows of its table, given the command line and the sources of models
SUITES: dict[str, str] = {
    'parts': f'{__name__}.parts:rows',
    'cpu': f'{__name__}.cpu:rows',
    'export': f'{__name__}.export:rows',
    'gpu': f'{__name__}.gpu:rows',
    'data': f'{__name__}.data:rows',
    'scale': f'{__name__}.scale:rows',
    'operators': f'{__name__}.operators:rows',
    'startup': f'{__name__}.startup:rows',
    'train': f'{__name__}.train:rows',
}
# those that write several tables, into the folder --out
FOLDERS = {'gpu'}
_CASES = {'step', 'engine', 'precision', 'size', 'batch', 'device', 'warm_up'}
# the options that each reads besides --repeats and --out; '' stands for models without a suite
READ: dict[str, set[str]] = {
    '': _CASES | {'models', 'features'},
    'parts': _CASES | {'models', 'features'},
    'cpu': _CASES | {'models', 'features'},
    'export': {'models', 'size', 'batch', 'warm_up'},
    'gpu': {'device', 'warm_up'},
    'data': {'batch', 'data_root', 'warm_up'},
    'scale': _CASES,
    'operators': {'compiled', 'device', 'warm_up'},
    'startup': set(),
    'train': {'engine', 'size', 'batch', 'device', 'warm_up'},
}


def suite_rows(name: str) -> Callable[..., Iterator[dict]]:
    """Return what measures a suite; only then is the module of the suite imported."""
    return resolve_name(SUITES[name])


def require_read(suite: str, given: set[str]) -> None:
    """Check that a suite reads every option of :data:`READ` that was given.

    Args:
        suite: a key of :data:`READ`.
        given: names of options, as in the parsed command line.

    Raises:
        InputError: it would ignore one.
    """
    known = set().union(*READ.values())
    for name in sorted(given & known - READ[suite]):
        option = 'MODEL' if name == 'models' else f'--{name.replace("_", "-")}'
        subject = f'--suite {suite}' if suite else 'a comparison of models'
        raise InputError(f'{subject} takes no {option}; leave it out')
