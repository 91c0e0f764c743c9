"""What a work dir says of its run: its starts, how long it took, its evaluations, its files."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from ..analysis.curves import EPOCH, ITERATION
from ..analysis.run_log import LOGS
from ..training.find_checkpoint import best_checkpoints, latest_checkpoint
from .pictures import FOLDER, KINDS

REPORTS = ('report.html', '*/report.html', '*/*/report.html')
UNITS = {'epoch': EPOCH, 'iter': ITERATION}  # by the beginning of the folders of pictures
STARTED = '%Y%m%d_%H%M%S'  # the name of the folder that mmengine makes for each start
LINE = re.compile(rb'^(\d{4}/\d\d/\d\d \d\d:\d\d:\d\d) - ', re.MULTILINE)  # of its log
TAIL = 2**16  # bytes at the end of a log that are read for its last line


@dataclass
class Evaluation:
    """One evaluation of a run.

    Attributes:
        place: the epoch or iteration after which it was, in words.
        metrics: what it measured, by name.
        pictures: files of predictions, by the name of the picture.
    """

    place: str
    metrics: dict[str, float] = field(default_factory=dict)
    pictures: dict[str, Path] = field(default_factory=dict)


def own(work_dir: Path, *patterns: str) -> list[Path]:
    """Return files of a work dir in their order, by their names.

    Links that lead out of it are left out: a page would show what is private to whoever gets it.
    """
    root = work_dir.resolve()
    found = sorted(file for pattern in patterns for file in work_dir.glob(pattern))
    return [file for file in found if file.is_file() and file.resolve().is_relative_to(root)]


def evaluations(work_dir: Path, rows: list[dict]) -> list[Evaluation]:
    """Return the evaluations of a run in their order.

    Args:
        work_dir: of the run.
        rows: its log, as :func:`vitbackbones.analysis.curves.measure` returns it.
    """
    found: dict[int, Evaluation] = {}
    for row in rows:
        if row['split'] == 'val':
            each = found.setdefault(row['step'], Evaluation(f'{row["unit"]} {row["step"]}'))
            each.metrics[row['quantity']] = row['value']
    for folder in _picture_folders(work_dir):
        unit, _, number = folder.name.partition('_')
        step, unit = int(number), UNITS[unit]
        pictures = {file.stem: file for file in own(work_dir, f'{FOLDER}/{folder.name}/*.jpg')}
        found.setdefault(step, Evaluation(f'{unit} {step}')).pictures = pictures
    return [found[step] for step in sorted(found)]


def _picture_folders(work_dir: Path) -> Iterator[Path]:
    for kind in KINDS:
        for folder in Path(work_dir, FOLDER).glob(kind):
            if folder.name.partition('_')[2].isdecimal():
                yield folder


def seconds(work_dir: Path, names: list[str]) -> float:
    """Return how many seconds the starts of a run lasted, by names and last lines of their logs.

    Args:
        work_dir: of the run.
        names: of the folders of its starts; all that have a log if there are none.
    """
    logs = [log for log in work_dir.glob(LOGS) if not names or log.parts[-3] in names]
    lasted = 0.0
    for log in logs:
        try:
            took = _ended(log) - datetime.strptime(log.parts[-3], STARTED)
        except ValueError:  # a folder that somebody has renamed, a damaged log
            continue
        lasted += max(0.0, took.total_seconds())
    return lasted


def _ended(log: Path) -> datetime:
    """Return when a start wrote its last line, which a copy of the log says, too.

    Raises:
        ValueError: that is no time.
    """
    text = _in_words(log)
    if text.is_file():
        with text.open('rb') as file:
            file.seek(max(0, text.stat().st_size - TAIL))
            if times := LINE.findall(file.read()):
                return datetime.strptime(times[-1].decode(), '%Y/%m/%d %H:%M:%S')
    return datetime.fromtimestamp(log.stat().st_mtime)


def _in_words(log: Path) -> Path:
    """Return the log in words of the start whose log in numbers is ``log``."""
    return log.parents[1] / f'{log.parts[-3]}.log'


def files(work_dir: Path) -> dict[str, Path]:
    """Return the files of a run that are worth a look, by what they are."""
    latest, report = latest_checkpoint(work_dir), newest_report(work_dir)
    logs = sorted(work_dir.glob(LOGS))
    found = {
        'best checkpoint': best_checkpoints(work_dir),
        'latest checkpoint': [latest] if latest else [],
        'report': [report] if report else [],
        'learned coefficients': [*work_dir.glob('coefficients.csv')],
        'log': [_in_words(log) for log in logs],
        'losses and metrics': logs,
    }
    return {
        f'{what}: {file.relative_to(work_dir)}': file
        for what, each in found.items()
        for file in each
    }


def newest_report(work_dir: Path) -> Path | None:
    """Return the page that ``test --report`` wrote last into the work dir, None without one."""
    return max(own(work_dir, *REPORTS), key=lambda file: file.stat().st_mtime, default=None)


def config_text(work_dir: Path) -> str:
    """Return the config of the last start as it was written, without running it."""
    found = own(work_dir, '*/vis_data/config.py')
    return found[-1].read_text(errors='replace') if found else ''
