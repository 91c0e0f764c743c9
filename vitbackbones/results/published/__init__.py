"""What papers print: the results of training, the sizes of models, and ablations. Data alone.

The numbers are in the CSV files beside this one, whose columns ``records.py`` describes. They are
kept as printed, because their digits say how exact they are. What is empty was not printed, or is
not known to us.
"""

from dataclasses import replace
from pathlib import Path

from ...utils.literals import read_rows
from .records import (
    CONVENTIONS,
    Ablation,
    Beyond,
    Convention,
    Family,
    Paper,
    Result,
    Row,
    Table,
    Task,
    arguments,
    model_spec,
    walk,
)

__all__ = [
    'BEYOND',
    'CONVENTIONS',
    'FAMILIES',
    'PAPERS',
    'RESULTS',
    'TASKS',
    'Ablation',
    'Beyond',
    'Convention',
    'Family',
    'Paper',
    'Result',
    'Row',
    'Table',
    'Task',
    'arguments',
    'model_spec',
    'results_of',
    'walk',
]


def _read(name: str, kind: type) -> list:
    return read_rows(Path(__file__).with_name(f'{name}.csv'), kind)


def _of(rows: list, **place: str) -> tuple:
    return tuple(row for row in rows if place.items() <= vars(row).items())


TASKS: dict[str, Task] = {task.name: task for task in _read('tasks', Task)}
RESULTS = [
    replace(result, config=TASKS[result.task].config.format(result.name))
    for result in _read('results', Result)
]
BEYOND: list[Beyond] = _read('beyond', Beyond)
_sizes = _read('sizes', Row)
FAMILIES = [replace(f, rows=_of(_sizes, family=f.title)) for f in _read('families', Family)]
_ablations = _read('ablations', Ablation)
_tables = [
    replace(table, rows=_of(_ablations, paper=table.paper, table=table.place))
    for table in _read('ablation_tables', Table)
]
PAPERS = [replace(paper, tables=_of(_tables, paper=paper.name)) for paper in _read('papers', Paper)]


def results_of(model: str, options: dict, tasks: tuple[str, ...]) -> list[Result]:
    """Return the results of one model in each of ``tasks``, in the order of the tasks."""
    found = [r for r in RESULTS if (r.model, r.options) == (model, options)]
    return [result for task in tasks for result in found if result.task == task]
