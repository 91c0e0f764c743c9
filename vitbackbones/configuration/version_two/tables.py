"""What names of version 2 are in version 3: the tables of ``keys.csv``, by name."""

import csv
from pathlib import Path

with open(Path(__file__).with_name('keys.csv'), newline='', encoding='utf-8') as _file:
    _ROWS = [*csv.DictReader(_file)]


def table(name: str) -> dict[str, str]:
    """Return the rows of a table: texts by keys."""
    return {row['key']: row['text'] for row in _ROWS if row['table'] == name}
