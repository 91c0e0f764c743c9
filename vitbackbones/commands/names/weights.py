"""``vitbackbones weights``: list and download published weights."""

from argparse import Namespace

from ...weights import DETECTORS, NEVER_PUBLISHED, PUBLISHED, Detector, fetch
from ...weights.table import is_name
from .listing import columns, matching

ROWS = PUBLISHED | DETECTORS


def weights(options: Namespace) -> None:
    """List or fetch published weights.

    Raises:
        InputError: a name is unknown, or its weights cannot be fetched or read.
    """
    for name in options.names:
        if is_name(name) and set('*?[') & set(name):
            print(table(name))
        else:
            print(fetch(name))


def table(pattern: str) -> str:
    """Return a line for each of some published weights; with all, also what never was published.

    Raises:
        InputError: the pattern fits none.
    """
    cells = []
    for name in matching(ROWS, pattern):
        row = ROWS[name]
        number = row.ap if isinstance(row, Detector) else row.top1
        accuracy = '' if number is None else f'{number}'
        cells.append((name, accuracy, row.license, row.url or row.source))
    text = columns(cells)
    if len(cells) == len(ROWS):
        text += f'\nnever published: {", ".join(NEVER_PUBLISHED)}'
    return text
