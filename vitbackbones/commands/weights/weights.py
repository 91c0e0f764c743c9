"""``vitbackbones weights``: what was published for which model, fetched by its name."""

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from fnmatch import fnmatch

from ...errors import InputError
from ...weights import DETECTORS, NEVER_PUBLISHED, PUBLISHED, Detector, Published
from ...weights.by_name import find, is_name
from ...weights.read.downloads import fetch_readable
from ...weights.transfer import fetching, is_offline, size_of
from ..names.configs import columns

ROWS = PUBLISHED | DETECTORS
PATTERN = set('*?[')  # what fnmatch reads
EXAMPLES = """\
examples:
  %(prog)s                    list all
  %(prog)s 'deit*' 'swin*'    list some
  %(prog)s deit_s             fetch one, and print where its file is
  %(prog)s --check            ask every address whether it answers
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    parser.epilog = EXAMPLES
    parser.add_argument(
        'names',
        nargs='*',
        metavar='NAME',
        help='a name, hf-hub:OWNER/NAME or an https address to fetch, or a pattern (* ? [...]) to '
        'list',
    )
    parser.add_argument(
        '--check',
        action='store_true',
        help='ask the addresses of all, or of the named ones, without fetching anything; status 1 '
        'if one does not answer',
    )


def weights(options: Namespace) -> None:
    """List, fetch or check published weights.

    Raises:
        InputError: a name is unknown, or its weights cannot be fetched or read.
    """
    if options.check:
        check(options.names)
        return
    for name in options.names or ['*']:
        if is_name(name) and PATTERN & set(name):
            print(table(matching([name])))
        else:
            print(fetch_readable(name))


def matching(patterns: Sequence[str]) -> dict[str, Published | Detector]:
    """Return the rows of the table that a name or pattern fits; all without any.

    Raises:
        InputError: none fits one of them; the nearest name is given.
    """
    for pattern in patterns:
        if not any(fnmatch(name, pattern) for name in ROWS):
            find(pattern)
    return {
        name: row
        for name, row in ROWS.items()
        if not patterns or any(fnmatch(name, pattern) for pattern in patterns)
    }


def table(rows: dict[str, Published | Detector]) -> str:
    """Return a line for each of some published weights; with all, also what never was published."""
    cells = []
    for name, row in rows.items():
        number = row.ap if isinstance(row, Detector) else row.top1
        accuracy = '' if number is None else f'{number}'
        cells.append((name, accuracy, row.license, row.url or row.source))
    text = columns(cells)
    if len(rows) == len(ROWS):
        text += f'\nnever published: {", ".join(NEVER_PUBLISHED)}'
    return text


def check(patterns: Sequence[str]) -> None:
    """Ask every address of some published weights; exit with status 1 if one does not answer.

    Raises:
        InputError: a name is unknown, or connections are forbidden.
    """
    if is_offline():
        raise InputError('--check asks the addresses, but HF_HUB_OFFLINE is set; unset it')
    failed = False
    hub = os.environ.get('HF_ENDPOINT', 'https://huggingface.co')
    for name, row in matching(patterns).items():
        copy = f'{hub}/{row.hf_hub}/resolve/main/model.safetensors' if row.hf_hub else None
        for address in filter(None, (row.url, copy)):
            try:
                with fetching(address):
                    size = size_of(address)
                answer = f'ok, {size} bytes'
                if address == row.url and row.size not in (None, size):
                    answer, failed = f'fails: {size} bytes, {row.size} in the table', True
            except InputError as error:
                answer, failed = f'fails: {error}', True
            print(f'{name:<24} {answer}  {address}', flush=True)
    if failed:
        sys.exit(1)
