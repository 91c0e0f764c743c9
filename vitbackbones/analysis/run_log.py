"""What the log of a run, as mmengine writes it into the work dir, says in numbers.

Every start of a run leaves ``<work dir>/<time>/vis_data/scalars.json``, with a record a line. A
resumed run has several of them.
"""

import json
import statistics
from collections.abc import Iterator
from contextlib import suppress
from math import nan
from pathlib import Path

LOGS = '*/vis_data/scalars.json'


def records(work_dir: Path) -> Iterator[dict]:
    """Yield the records of all starts, oldest first, without a line that a kill cut short."""
    for file in sorted(work_dir.glob(LOGS)):
        yield from records_of(file)


def records_of(file: Path) -> Iterator[dict]:
    """Yield the records of one start."""
    for line in file.read_text(errors='replace').splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict) and isinstance(record.get('step'), int):
            yield record


def value_after(work_dir: Path, metric: str, step: int) -> float | None:
    """Return what a metric was after an epoch or iteration; None if it was not evaluated.

    If only ``tools/test.py`` has evaluated it, its value counts.
    """
    logged = [each[metric] for each in records(work_dir) if metric in each and each['step'] == step]
    return logged[-1] if logged else _tested(work_dir, metric)


def _tested(work_dir: Path, metric: str) -> float | None:
    """Return a metric as ``tools/test.py`` has written it last, to TIME/TIME.json."""
    for file in sorted(work_dir.glob('*/*.json'), reverse=True):
        with suppress(ValueError):  # a killed evaluation leaves half a file
            content = json.loads(file.read_text())
            if metric in content:
                return content[metric]
    return None


def step_seconds(work_dir: Path) -> float:
    """Return the mean time of a training step, NaN if there is none."""
    times = [each['time'] for each in records(work_dir) if {'time', 'loss'} <= each.keys()]
    return statistics.mean(times) if times else nan
