"""``tracking.json`` in a work dir: how a run was started, and what it is called in its trackers.

A resumed run reads it, so that it goes on where the run was followed before.
"""

import json
import platform
import shlex
import sys
import time
from contextlib import suppress
from pathlib import Path

import torch
from mmengine.runner import EpochBasedTrainLoop, Runner

from ..analysis.run_log import records_of
from ..catalog import config_name
from ..files import write_file
from ..openmmlab.versions import versions
from ..verbs import program
from .backend import row_key

NAME = 'tracking.json'


def empty_record() -> dict:
    """Return the record of a run that was never started."""
    return {'starts': [], 'trackers': {}, 'status': ''}


def read_record(work_dir: Path) -> dict:
    """Return the record of a run, an empty one where there is none.

    A file that cannot be read counts as none, as no weights depend on it.
    """
    record = empty_record()
    with suppress(OSError, ValueError):
        content = json.loads((work_dir / NAME).read_text())
        record.update((key, content[key]) for key in record if key in content)
    return record


def write_record(work_dir: Path, record: dict) -> None:
    """Write the record.

    Raises:
        InputError: the file cannot be written.
    """
    write_file(work_dir / NAME, json.dumps(record, indent=1).encode())


def this_start(runner: Runner) -> dict[str, str | int]:
    """Return what one start of a run is: when, by which command, with what, from where to where."""
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else platform.machine()
    by_epoch = isinstance(runner.train_loop, EpochBasedTrainLoop)
    return {
        'log': Path(runner.log_dir).name,
        'date': time.strftime('%Y-%m-%d %H:%M:%S %z'),
        'config': config_name(runner.cfg.filename) if runner.cfg.filename else '',
        'command': shlex.join([*program(), *sys.argv[1:]]),
        'device': f'{device}, {platform.system()}',
        'versions': ', '.join(versions()),
        'iteration': runner.iter,
        'length': f'{runner.max_epochs} epochs' if by_epoch else f'{runner.max_iters} iterations',
        'trackers': [],
    }


def logged_rows(work_dir: Path, starts: list[dict], tracker: str) -> set[tuple]:
    """Return the keys of all rows that a tracker was given by earlier starts of a run."""
    logs = [
        work_dir / start['log'] / 'vis_data' / 'scalars.json'
        for start in starts
        if tracker in start['trackers']
    ]
    return {row_key(row, row['step']) for log in logs if log.is_file() for row in records_of(log)}
