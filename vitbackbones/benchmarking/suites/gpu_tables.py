"""The folder of results of the suite for GPUs: what is measured is kept, row by row.

``rows.json`` has everything and is written after each row, so a killed run loses nothing and the
next one goes on behind it. Beside it, every table is a CSV file.
"""

import json
from collections import Counter
from pathlib import Path

from ...errors import InputError
from ...files import write_file
from ..tables import as_csv

ROWS = 'rows.json'
ATTEMPTS = 2  # what has ended the process so often, or failed, is not begun once more


class Tables:
    """The rows of one folder, by the name of their table and of the job that measured them.

    Args:
        folder: where they are.
        settings: what the numbers depend on, such as the device.

    Raises:
        InputError: the folder has numbers that were measured otherwise.
    """

    def __init__(self, folder: Path, settings: dict) -> None:
        self.folder, self.settings = folder, settings
        self.rows: list[dict] = []  # {'table': ..., 'job': ..., 'row': {...}}
        self.begun: Counter = Counter()
        self.done: list[str] = []
        if (folder / ROWS).is_file():
            self._read()

    def _read(self) -> None:
        kept = json.loads((self.folder / ROWS).read_text())
        before = kept['settings']
        changed = [key for key in self.settings if before.get(key) != self.settings[key]]
        if changed:
            texts = [f'{key} was {before.get(key)}, is {self.settings[key]}' for key in changed]
            raise InputError(
                f'--out {self.folder} holds what was measured otherwise: {"; ".join(texts)}. '
                'Choose another folder'
            )
        self.rows, self.begun, self.done = kept['rows'], Counter(kept['begun']), kept['done']

    def finished(self, job: str) -> bool:
        """Return whether a job need not run: it is done, or has failed as often as it may."""
        return job in self.done or self.begun[job] >= ATTEMPTS

    def begin(self, job: str) -> None:
        """Note that a job begins, in place of an earlier attempt."""
        self.rows = [each for each in self.rows if each['job'] != job]
        self.begun[job] += 1
        self._write()

    def add(self, table: str, job: str, row: dict) -> None:
        """Keep a row."""
        self.rows.append({'table': table, 'job': job, 'row': row})
        self._write()
        write_file(self.folder / f'{table}.csv', self.csv(table))

    def end(self, job: str) -> None:
        """Note that a job is done."""
        self.done.append(job)
        self._write()

    def table(self, name: str) -> list[dict]:
        """Return the rows of a table, all with the same columns."""
        rows = [each['row'] for each in self.rows if each['table'] == name]
        columns = dict.fromkeys(key for row in rows for key in row)
        return [{key: row.get(key, '') for key in columns} for row in rows]

    def csv(self, name: str) -> bytes:
        """Return a table, which has rows, as a CSV file."""
        return as_csv(self.table(name))

    def _write(self) -> None:
        content = {
            'settings': self.settings,
            'begun': self.begun,
            'done': self.done,
            'rows': self.rows,
        }
        write_file(self.folder / ROWS, json.dumps(content, indent=1).encode())
