"""``run.html`` in a work dir: state, curves, metrics and visualizations of a run.

One file that opens without a network, written from the work dir alone.
"""

import re
from collections import defaultdict
from contextlib import suppress
from pathlib import Path

from ..analysis.curves import draw, measure
from ..analysis.run_log import COMMAND, LARGEST, LOGS
from ..data.loading.image_file import UnreadableImage, read_image
from ..drawing.sheet import from_bgr, spread
from ..errors import InputError
from ..reports.page import Document, Facts, Picture, Section, Strip, drawing, photograph, write_page
from ..utils.files import read_json, read_small, stays_inside

RECORD = 'tracking.json'
PICTURES = 'pictures'
# What mmengine logs of the machine, and how far a run came
MACHINE = ('sys.platform', 'Python', 'GPU 0', 'PyTorch', 'MMEngine', 'seed')
SAVED = re.compile(r'Saving checkpoint at (\d{1,18}) (epochs|iterations)')
LENGTH = re.compile(r'train_cfg\s*=\s*dict\([^()]*max_(epochs|iters)=(\d{1,18})\b')
SHOWN = 8  # evaluations with images on the page
WIDTH = 720  # pixels of an image


def read_record(work_dir: Path) -> dict[str, str]:
    """Return the record of a run, or an empty dict if there is no readable one.

    Here and below, links that lead out of the work dir, to what is private, are left out.
    """
    file = work_dir / RECORD
    with suppress(InputError):
        record = read_json(file) if stays_inside(file, work_dir) else None
        if isinstance(record, dict) and all(isinstance(text, str) for text in record.values()):
            return record
    return {}


def write_run_page(work_dir: Path, file: Path) -> Path:
    """Write the page of a run to ``file``, whose folder exists, and return it.

    Raises:
        InputError: no run has logged anything in ``work_dir``, or the file cannot be written.
    """
    rows = measure(work_dir)
    figure = draw([{'model': work_dir.name, **row} for row in rows])
    facts = read_record(work_dir) or read_log(work_dir)
    config = facts.pop('config', '')
    metrics = {
        row['quantity']: f'{row["value"]:.4g} after {row["unit"]} {row["step"]}'
        for row in rows
        if row['split'] == 'val' and row['value'] != -1  # COCO's "no such object"
    }
    status = facts.pop('status', 'unknown')
    sections = [
        Section('Status', [Facts(rows={'status': status})]),
        Section('Latest evaluation', [Facts(rows=metrics)] if metrics else []),
        Section('Curves', [drawing(figure, 'curves')]),
        Section('Predictions', _predictions(work_dir)),
        Section(
            'Config',
            [Document(content=config, title=('as it was used in the run'))] if config else [],
        ),
    ]
    return write_page(file.parent, work_dir.name, None, sections, facts, file.name)


def read_log(work_dir: Path) -> dict[str, str]:
    """Return what the log of the latest start of a run says, as :func:`read_record` does."""
    inside = (file for file in work_dir.glob(LOGS) if stays_inside(file, work_dir))
    folder = sorted(inside)[-1].parents[1]
    log = folder / f'{folder.name}.log'
    text, config = (
        read_small(file, LARGEST).decode(errors='replace')
        if file.is_file() and stays_inside(file, work_dir)
        else ''
        for file in (log, folder / 'vis_data' / 'config.py')
    )
    lines = text.splitlines()
    facts = {'status': _status(text, config), 'date': folder.name, 'work_dir': str(work_dir)}
    for line in lines:
        name, colon, value = line.partition(': ')
        if name.strip() in MACHINE and line.startswith(' '):
            facts.setdefault(name.strip(), value)
        if COMMAND in line:
            facts['command'] = line.partition(COMMAND)[2]
    return facts | {'log': str(log), 'config': config}


def _status(log: str, config: str) -> str:
    """Return how far a run came, by its last checkpoint; its log ends with the reason."""
    saved = [*SAVED.finditer(log)]
    length = LENGTH.search(config)
    if not saved or not length:
        return 'unknown: the log mentions no checkpoint'
    done = int(saved[-1][1])
    unit = saved[-1][2]
    whole = int(length[2])
    if length[1].startswith(unit[:4]) and done >= whole:
        return 'finished'
    last = next(line for line in reversed(log.splitlines()) if line.strip())
    return (
        f'running or stopped: {done} of {whole} {unit} are saved; the last line of the log '
        f'is: {last}'
    )


def pictures_of(work_dir: Path) -> list[Path]:
    """Return visualizations of predictions, without links that point outside the work dir."""
    folder = work_dir / PICTURES
    found = sorted([*folder.glob('epoch_*/*.jpg'), *folder.glob('iter_*/*.jpg')])
    return [file for file in found if file.is_file() and stays_inside(file, folder)]


def _predictions(work_dir: Path) -> list[Strip]:
    """Return a row for each image, with what was predicted at several evaluations, latest first."""
    files: dict[int, list[Path]] = defaultdict(list)
    for file in pictures_of(work_dir):
        number = file.parent.name.partition('_')[2]
        if number.isdecimal():
            files[int(number)].append(file)
    rows: dict[str, list[Picture]] = defaultdict(list)
    places = sorted(files, reverse=True)
    for place in spread(len(places), SHOWN):
        for file in files[places[place]]:
            with suppress(UnreadableImage):
                picture = from_bgr(read_image(str(file)))
                picture.thumbnail((WIDTH, WIDTH))
                rows[file.stem].append(photograph(picture, f'after {file.parent.name}'))
    return [Strip(title=name, pictures=pictures) for name, pictures in rows.items()]
