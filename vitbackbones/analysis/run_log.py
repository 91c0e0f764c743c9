"""What the log of a run, as mmengine writes it into the work dir, says in numbers.

Every start of a run leaves ``<work dir>/<time>/vis_data/scalars.json``, with a record a line. A
resumed run has several of them.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from ..utils.files import read_small, stays_inside
from ..utils.run_files import STEP

LOGS = '*/vis_data/scalars.json'
PLACES = ('step', 'iter', 'epoch')  # of a record in the run
COMMAND = 'command: '  # the beginning of a line of the text log
LARGEST = 2**28  # bytes of a log
# What places a record in the run or measures the machine, and what earlier runs logged besides.
NO_METRICS = re.compile(r'(step|iter|epoch|time|data_time|memory)$|coefficients/')
DIGITS = 16  # that no number of steps has; a longer number becomes a float, which can be drawn


def records(work_dir: Path) -> Iterator[dict]:
    """Yield the records of all starts, oldest first, without lines that a kill truncated.

    Raises:
        InputError: a log is no regular file, or larger than any run writes.
    """
    for file in sorted(file for file in work_dir.glob(LOGS) if stays_inside(file, work_dir)):
        for line in read_small(file, LARGEST).decode(errors='replace').splitlines():
            try:
                record = json.loads(
                    line, parse_int=lambda text: (int if len(text) < DIGITS else float)(text)
                )
            except (ValueError, RecursionError):
                continue
            if not isinstance(record, dict) or 'step' not in record:
                continue
            if all(isinstance(record.get(key, 0), int) for key in PLACES):
                yield record


def metrics_of(checkpoint: Path) -> dict[str, float]:
    """Return what validation has measured of a checkpoint in a work dir, as the log there says."""
    measured: dict = {}
    if step := STEP.search(checkpoint.name):
        for record in records(checkpoint.parent):
            if 'loss' not in record and record['step'] == int(step[2]):
                measured |= record
    return {
        key: value
        for key, value in measured.items()
        if not NO_METRICS.match(key)
        and isinstance(value, int | float)
        and value != -1  # of nothing
    }


def value_after(work_dir: Path, metric: str, step: int) -> float | None:
    """Return what a metric was after an epoch or iteration; None if it was not evaluated."""
    logged = [each[metric] for each in records(work_dir) if metric in each and each['step'] == step]
    return logged[-1] if logged else None
