"""Tables of rows, which are dicts: printed, and as CSV files."""

import csv
from collections.abc import Iterable
from io import StringIO
from pathlib import Path

from ...utils.files import prepare_folder, write_file


def require_room(file: str | None) -> None:
    """Check, before anything is measured, that a CSV file can be written.

    Raises:
        InputError: it cannot.
    """
    if file:
        prepare_folder(Path(file).parent, '--out')


def report(rows: Iterable[dict], file: str | None) -> None:
    """Print each row of a table when it comes, and write all so far to a CSV ``file`` if given.

    Where the columns change, their names are printed again.
    """
    kept: list[dict] = []
    for row in rows:
        if not kept or row.keys() != kept[-1].keys():
            print(_line(row))
        print(_line(row.values()), flush=True)
        kept.append(row)
        if file:
            write_file(file, as_csv(kept))


def as_csv(rows: list[dict]) -> bytes:
    """Return a table as a CSV file; the columns are the keys of the first row."""
    text = StringIO(newline='')
    writer = csv.DictWriter(text, fieldnames=rows[0].keys())
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def _line(cells: Iterable) -> str:
    return ' '.join(f'{cell:>10}' for cell in cells)
