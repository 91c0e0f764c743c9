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
from typing import Any

import torch
from mmengine.runner import EpochBasedTrainLoop, Runner

from ..analysis.run_log import records_of
from ..catalog import config_name
from ..files import write_file
from ..openmmlab.versions import versions
from ..verbs import program
from .backend import row_key

NAME = 'tracking.json'
TEXTS = ('log', 'date', 'config', 'command', 'device', 'versions', 'length')  # of a start


def empty_record() -> dict:
    """Return the record of a run that was never started."""
    return {'starts': [], 'trackers': {}, 'status': ''}


def read_record(work_dir: Path) -> dict:
    """Return the record of a run, an empty one where there is none.

    A file that cannot be read, or that something else has written, counts as none, as no weights
    depend on it.
    """
    with suppress(OSError, ValueError, RecursionError):
        content = json.loads((work_dir / NAME).read_text())
        if _is_record(content):
            return content
    return empty_record()


def _is_record(content: Any) -> bool:
    match content:
        case {'starts': list(starts), 'trackers': dict(trackers), 'status': str()}:
            named = all(
                isinstance(each, dict) and isinstance(each.get('place'), str)
                for each in trackers.values()
            )
            placed = isinstance(content.get('work_dir', ''), str)
            return named and placed and all(map(_is_start, starts))
    return False


def _is_start(content: Any) -> bool:
    return (
        isinstance(content, dict)
        and isinstance(content.get('trackers'), list)
        and isinstance(content.get('iteration'), int)
        and all(isinstance(content.get(key), str) for key in TEXTS)
        and Path(content['log']).name == content['log']  # a folder of the work dir
    )


def own_trackers(work_dir: Path, record: dict) -> dict[str, dict]:
    """Return what a run is called in its trackers, without what the original of a copy goes on in.

    A work dir is a copy, rather than moved, while the one that it was is still there.
    """
    original = Path(record.get('work_dir') or work_dir)
    theirs = read_record(original)['trackers']
    if not theirs or original.samefile(work_dir):
        return record['trackers']
    used = [each['id'] for each in theirs.values() if 'id' in each]
    return {k: named for k, named in record['trackers'].items() if named.get('id') not in used}


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


def logged_rows(
    work_dir: Path, starts: list[dict], epoch_length: int
) -> dict[tuple, tuple[int, dict]]:
    """Return what earlier starts of a run have logged: iterations and rows, by :func:`row_key`.

    Args:
        work_dir: of the run.
        starts: of its record.
        epoch_length: iterations of an epoch, at whose end it is evaluated; 1 without epochs.
    """
    found: dict[tuple, tuple[int, dict]] = {}
    for start in starts:
        log = work_dir / start['log'] / 'vis_data' / 'scalars.json'
        done = start['iteration']
        for row in records_of(log) if log.is_file() else ():
            if 'iter' in row:
                done = row['step']
            else:  # an evaluation, which may be numbered by epochs
                done = max(row['step'], -(-done // epoch_length) * epoch_length)
            found.setdefault(row_key(row, row['step']), (done, row))
    return found
