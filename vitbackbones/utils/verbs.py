"""The commands of ``vitbackbones``, its verbs. How messages write one is in :mod:`.messages`."""

import csv
from pathlib import Path
from typing import NamedTuple


class Verb(NamedTuple):
    """What ``vitbackbones COMMAND`` does.

    Attributes:
        arguments: module of ``vitbackbones.commands``, which imports no torch. Its
            ``add_arguments`` describes the command line, and its docstring says what options mean
            and ends with examples.
        place: ``'module:function'`` of ``vitbackbones.commands``; the function gets what was
            parsed.
        help: one line, in lower case and without a period.
    """

    arguments: str
    place: str
    help: str

    @property
    def module(self) -> str:
        return self.place.partition(':')[0]


with open(Path(__file__).with_name('verbs.csv'), newline='', encoding='utf-8') as _rows:
    VERBS = {row.pop('verb'): Verb(**row) for row in csv.DictReader(_rows)}
MOVED = {'compare': "; in a clone, type 'python tools/compare.py'"}  # early versions of 1.0
