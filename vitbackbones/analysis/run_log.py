"""What the log of a run, as mmengine writes it into the work dir, says in numbers."""

import json
import statistics
from collections.abc import Iterator
from contextlib import suppress
from math import nan
from pathlib import Path


def scalars(work_dir: Path) -> Iterator[dict]:
    """Yield what was logged, a dict for each line, over all times that the run was resumed."""
    for file in sorted(work_dir.glob('*/vis_data/scalars.json')):  # in folders named by the time
        for line in file.read_text().splitlines():
            with suppress(ValueError):  # a killed run leaves half a line
                yield json.loads(line)


def value_after(work_dir: Path, metric: str, step: int) -> float | None:
    """Return what a metric was after an epoch or iteration; None if it was not evaluated.

    If only ``tools/test.py`` has evaluated it, its value counts.
    """
    logged = [line[metric] for line in scalars(work_dir) if metric in line and line['step'] == step]
    return logged[-1] if logged else _tested(work_dir, metric)


def _tested(work_dir: Path, metric: str) -> float | None:
    """Return a metric as ``tools/test.py`` has written it last, to TIME/TIME.json."""
    for file in sorted(work_dir.glob('*/*.json'), reverse=True):
        content = json.loads(file.read_text())
        if metric in content:
            return content[metric]
    return None


def step_seconds(work_dir: Path) -> float:
    """Return the mean time of a training step, NaN if there is none."""
    times = [line['time'] for line in scalars(work_dir) if {'time', 'loss'} <= line.keys()]
    return statistics.mean(times) if times else nan
