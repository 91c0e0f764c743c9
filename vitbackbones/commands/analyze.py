"""``vitbackbones analyze``: plot the curves of several runs together.

The table is written before anything is plotted.

options:
  work_dirs  work dirs of the runs

examples:
  %(prog)s work_dirs/first work_dirs/second curves --out out

The results are out/curves.png and out/curves.csv, with losses, learning rates and metrics of the
runs. An example in a clone also analyzes trained models: docs/lab/analysis.md
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from matplotlib.figure import Figure

from ..analysis import curves
from ..configuration.names import resolve
from ..errors import InputError
from ..utils.files import as_csv, folder_lock, prepare_folder, write_file

CURVES = 'curves'


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    add = parser.add_argument
    add('work_dirs', nargs='+', metavar='WORK_DIR')
    add('what', choices=(CURVES,), metavar='WHAT', help=CURVES)
    add_output(add)


def add_output(add: Callable) -> None:
    """Add the options of :func:`new_result`."""
    add('--out', required=True, metavar='DIR', help='folder for the table and the figure')
    replace = 'replace the result of an earlier call'
    add('--overwrite', action='store_true', help=replace)


def analyze(options: Namespace) -> None:
    """Do what ``vitbackbones analyze --help`` describes.

    Raises:
        InputError: nothing was logged in a work dir, or ``--out`` is not usable.
    """
    names = distinct(options.work_dirs, [Path(folder).name for folder in options.work_dirs])
    with new_result(options) as out:
        tables = [curves.measure(resolve(folder)) for folder in options.work_dirs]
        write_result(out / options.what, dict(zip(names, tables, strict=True)), curves.draw)


def distinct(typed: list[str], short: list[str]) -> list[str]:
    """Return the short names of what was typed, or all that was typed where these are alike."""
    if twice := next((name for name in typed if typed.count(name) > 1), None):
        raise InputError(f'{twice}: is given twice')
    return short if len({*short}) == len(short) else typed


@contextmanager
def new_result(options: Namespace) -> Iterator[Path]:
    """Yield the folder of ``--out``, into which nobody else writes.

    Raises:
        InputError: it is not usable, or has a result of this name and ``--overwrite`` is not given.
    """
    out = prepare_folder(options.out, '--out')
    with folder_lock(out, '--out'):
        files = (out / f'{options.what}.csv', out / f'{options.what}.png')
        there = [file for file in files if file.exists()]
        if there and not options.overwrite:
            raise InputError(
                f'--out: {there[0]} already exists. Choose another folder, or replace it with '
                '--overwrite.'
            )
        yield out


def write_result(
    path: Path, tables: dict[str, list[dict]], draw: Callable[[list[dict]], Figure]
) -> None:
    """Write the rows of all models, by their names, to ``path.csv``, and a picture beside it."""
    csv = path.with_suffix('.csv')
    png = path.with_suffix('.png')
    rows = [{'model': name, **row} for name, table in tables.items() for row in table]
    # numbers of seven digits, as many as single precision has
    rounded = [
        {k: f'{v:.7g}' if isinstance(v, float) else v for k, v in row.items()} for row in rows
    ]
    write_file(csv, as_csv(rounded))
    picture = BytesIO()
    draw(rows).savefig(picture, format='png', bbox_inches='tight')
    write_file(png, picture.getvalue())
    print(f'{csv}: {len(rows)} rows; figure: {png.name} in the same folder')
