"""The tables of the suite for GPUs as one page, to be put into docs/benchmarks.md."""

import sys
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from pathlib import Path

from ...files import write_file
from ..tables import as_csv, markdown
from .gpu_tables import Tables

TITLES = {
    'device': 'What the device reaches',
    'models': 'Models',
    'tasks': 'Training steps of DETR and SETR, two images, bfloat16 autocast',
    'attention': 'Calls of attention, and the kernel that took them',
    'kernels': 'Kernels launched in a step of two images',
    'roofline': 'Shares of what the device reaches',
}


def write_summary(folder: Path, tables: Tables, goals: list[dict], left: Sequence[str]) -> None:
    """Write ``goals.csv`` and ``summary.md``.

    Args:
        folder: where to.
        tables: what was measured.
        goals: the goals, and whether they are reached.
        left: names of what was not measured.
    """
    write_file(folder / 'goals.csv', as_csv(goals))
    write_file(folder / 'summary.md', ''.join(_page(tables, goals, left)).encode())


def _page(tables: Tables, goals: list[dict], left: Sequence[str]) -> Iterator[str]:
    now = datetime.now(timezone.utc)
    measured = ', '.join(f'{key} {value}' for key, value in tables.settings.items())
    yield f'Measured on {now:%Y-%m-%d}, {measured}, by\n\n'
    yield f'    python {" ".join(sys.argv)}\n\n'
    yield from _section('Goals', goals)
    for name, title in TITLES.items():
        yield from _section(title, tables.table(name))
    if left:
        yield '## Not measured yet\n\n'
        yield from (f'- {name}\n' for name in left)


def _section(title: str, rows: list[dict]) -> Iterator[str]:
    if rows:
        yield f'## {title}\n\n'
        yield from markdown(rows[0], (row.values() for row in rows))
        yield '\n'
