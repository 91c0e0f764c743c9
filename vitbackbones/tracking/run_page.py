"""``run.html`` in a work dir: what a run is, its curves, pictures of predictions, and its report.

One file that opens without a network. It is written from the work dir alone, at each evaluation and
at the end of a run that is followed, and by ``vitbackbones page`` of any run.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

import numpy as np
from mmengine.dist import master_only
from mmengine.runner import Runner

from ..analysis.curves import draw_each, measure
from ..datasets.image_file import UnreadableImage, read_image
from ..drawing.sheet import from_bgr, spread
from ..messages import in_one_line
from ..reporting.curves import as_svg
from ..reporting.page import write_page
from ..reporting.parts import (
    Document,
    Facts,
    Links,
    Picture,
    Section,
    Strip,
    Table,
    as_cell,
    photograph,
)
from .hook import Follower
from .record import read_record
from .run import Evaluation, config_text, evaluations, files, newest_report, seconds

NAME = 'run.html'
SHOWN = 8  # evaluations whose pictures are on the page, from the first to the last
WIDTH = 720  # of a picture on the page, in pixels
KEPT = ('device', 'versions')  # of a start, at the end of the page


def write_run_page(work_dir: Path, file: Path) -> Path:
    """Write the page of a run and return its path.

    Args:
        work_dir: of the run.
        file: the page; its folder exists.

    Raises:
        InputError: no run has logged anything there, or the file cannot be written.
    """
    rows, record = measure(work_dir), read_record(work_dir)
    starts = record['starts']
    facts = {key: starts[-1][key] for key in KEPT} if starts else {}
    sections = _sections(work_dir, file.parent, rows, record)
    return write_page(file.parent, work_dir.name, None, sections, facts, file.name)


def _sections(work_dir: Path, folder: Path, rows: list[dict], record: dict) -> Iterator[Section]:
    done = evaluations(work_dir, rows)
    yield Section('Run', [Facts(rows=_state(work_dir, rows, record, done))])
    figures = draw_each([{'model': '', **row} for row in rows])
    yield Section('Curves', [_panel(title, figure) for title, figure in figures.items()])
    if any(each.pictures for each in done):
        text = 'The latest evaluation first.'
        yield Section('Predictions', [*_strips(done)], text)
    if any(each.metrics for each in done):
        yield Section('Evaluations', [_table(done)], 'The latest first.')
    yield Section('Files', [_links(files(work_dir), folder)])
    if report := newest_report(work_dir):
        content = report.read_text(errors='replace')
        text = f'Of {report.relative_to(work_dir)}, from the last test.'
        yield Section('Report', [Document(content=content, title='report', is_page=True)], text)
    config = config_text(work_dir)
    yield Section('Config', [Document(content=config, title='as it was run')] if config else [])


def _state(
    work_dir: Path, rows: list[dict], record: dict, done: list[Evaluation]
) -> dict[str, str]:
    """Return how far a run is, and for how long it was under way."""
    starts = record['starts']
    last = max((row['step'] for row in rows if row['split'] == 'train'), default=0)
    lasted = timedelta(seconds=round(seconds(work_dir, [start['log'] for start in starts])))
    state = {'status': record['status'] or 'not known, as the run was not tracked (--track)'}
    if starts:
        state |= {key: starts[-1][key] for key in ('config', 'command', 'length')}
        state['begun'] = starts[0]['date']
    state['time'] = f'{lasted}' + (f' in {len(starts)} starts' if len(starts) > 1 else '')
    state['logged'] = f'up to iteration {last}'
    for name, value in list(done[-1].metrics.items())[:1] if done else ():
        state['latest'] = f'{name} {value:.3f} after {done[-1].place}'
    return state | {name: tracker['place'] for name, tracker in record['trackers'].items()}


# ------------------------------------------------------------------------ the parts


def _panel(title: str, figure) -> Picture:
    return Picture(content=as_svg(figure), kind='image/svg+xml', title=title)


def _strips(done: list[Evaluation]) -> Iterator[Strip]:
    """Yield a row of pictures for each image, with what was predicted at several evaluations."""
    drawn = [each for each in done if each.pictures]
    shown = [drawn[i] for i in spread(len(drawn), SHOWN)][::-1]
    for name in dict.fromkeys(name for each in shown for name in each.pictures):
        yield Strip(title=name, pictures=[*_pictures(name, shown)])


def _pictures(name: str, shown: list[Evaluation]) -> Iterator[Picture]:
    """Yield a picture of several evaluations, without those that a kill cut short."""
    for each in shown:
        if name in each.pictures:
            with suppress(UnreadableImage):
                picture = from_bgr(read_image(str(each.pictures[name])))
                picture.thumbnail((WIDTH, WIDTH))
                yield photograph(picture, f'after {each.place}')


def _table(done: list[Evaluation]) -> Table:
    measured = [each for each in done if each.metrics][::-1]
    names = list(dict.fromkeys(name for each in measured for name in each.metrics))
    rows = [
        [each.place, *(_number(each.metrics.get(name, np.nan)) for name in names)]
        for each in measured
    ]
    return Table(head=['after', *names], rows=rows)


def _number(value: float) -> float | None:
    """Return a metric as a cell; COCO's -1 says that there is nothing to measure."""
    return None if value == -1 else as_cell(value)


def _links(found: Mapping[str, Path], folder: Path) -> Links:
    addresses = {
        name: quote(os.fsencode(os.path.relpath(file, folder))) for name, file in found.items()
    }
    return Links(files=addresses)


# ------------------------------------------------------------------------ while it trains


class RunPageHook(Follower):
    """Writes the page at each evaluation and at the end, on the first process only."""

    priority = 'LOWEST'  # after the log, the pictures and the checkpoints

    def __init__(self) -> None:
        self.is_training = False

    def before_train(self, runner: Runner) -> None:
        self.is_training = True

    def after_val_epoch(self, runner: Runner, metrics: dict | None = None) -> None:
        self._write(runner)

    def after_train(self, runner: Runner) -> None:
        self._write(runner)

    def after_stop(self, runner: Runner, reason: str) -> None:
        self._write(runner)

    @master_only
    def _write(self, runner: Runner) -> None:
        if not self.is_training:
            return
        work_dir = Path(runner.work_dir)
        try:
            write_run_page(work_dir, work_dir / NAME)
        except Exception as error:  # whatever it is, the run is worth more than its page
            runner.logger.warning(f'{NAME} of this run is not written: {in_one_line(error)}')
