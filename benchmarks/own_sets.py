"""Training on a few images of one's own: several methods on every set of a folder.

    python -m benchmarks.own_sets FOLDER                            # from noise, and from Lite0
    python -m benchmarks.own_sets FOLDER --methods noise noise_cpu --n 25 --seeds 0
    python -m benchmarks.own_sets FOLDER --methods 'box=--pretrained FILE' \\
        'pvt={quick} --backbone pvt_t --scratch'
    python -m benchmarks.own_sets --summary docs/lab/own_sets.md    # tables of what is measured

Each subfolder of FOLDER is a set in any layout that ``--data-root`` reads. Where no images are
named for validation, a fixed fifth of those for training is. From each, n training images are
drawn, and every method trains on them for the same number of steps. The metrics are those on all
validation images. A run is a row of a CSV file, and a process of its own. A run whose row is there
is not repeated.

The words of a method are those of ``vitbackbones train``: a config and options. ``{quick}`` is the
quick config for what the set has, boxes or masks. Words that begin with an option are added to
those of the method of that name. ``--steps N`` among them is the length of this method alone.
"""

import csv
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from vitbackbones.commands.cli import count
from vitbackbones.commands.ending import run
from vitbackbones.errors import InputError
from vitbackbones.utils.files import folder_lock, prepare_folder, require_apart
from vitbackbones.version import __version__

from .own_sets_data import RealSet
from .own_sets_page import write_page
from .own_sets_run import RESULT

KEY = ('set', 'n', 'seed', 'method', 'steps')
COLUMNS = (*KEY, 'AP', 'AP50', 'mIoU', 'cpu_s', 'wall_s', 'version')
QUICK = {'boxes': 'quick_detector', 'masks': 'quick_segmentor'}
FROZEN = '--freeze backbone --cache-gb 4 --cache-views 4'
METHODS = {
    'noise': '{quick} --scratch',
    'noise_cpu': '{quick} --scratch',
    'box': '{quick}',
    'backbone': '{quick} --pretrained sret_quick',
    'box_frozen': f'{{quick}} {FROZEN}',
    'lite0': '{quick}_lite0',
    'lite0_frozen': f'{{quick}}_lite0 {FROZEN}',
}
LENGTHS = {'noise_cpu': 2.3}  # as long as Lite0 takes: its step costs 2.3 times as much
STEPS = '--steps'


class Method(NamedTuple):
    """What is compared: a name, the words of a command line, and the number of steps."""

    name: str
    words: tuple[str, ...]
    steps: int

    def words_for(self, kind: str) -> list[str]:
        """Return the words for a set with labels of this kind, ``'boxes'`` or ``'masks'``."""
        return [word.replace('{quick}', QUICK[kind]) for word in self.words]


class Run(NamedTuple):
    """A method on n images of a set, drawn with a seed."""

    set: str
    n: int
    seed: int
    method: Method

    @property
    def key(self) -> tuple[str, ...]:
        """The columns :data:`KEY` of its row."""
        columns = (self.set, self.n, self.seed, self.method.name, self.method.steps)
        return tuple(map(str, columns))

    def __str__(self) -> str:
        return f'{self.set}, {self.n} images, seed {self.seed}, {self.method.name}'


def read_method(text: str, steps: int) -> Method:
    """Return the method of ``NAME`` or ``NAME=WORDS``.

    Raises:
        InputError: there is no method of this name, or its number of steps is none.
    """
    name, _, given = text.partition('=')
    words = shlex.split(given)
    if not words or words[0].startswith('-'):
        if name not in METHODS:
            raise InputError(
                f'--methods {name}: unknown; known: {", ".join(METHODS)}. Describe a method of '
                f"your own as '{name}=CONFIG OPTIONS'."
            )
        words = [*shlex.split(METHODS[name]), *words]
    length = round(steps * LENGTHS.get(name, 1))
    if STEPS in words:
        place = words.index(STEPS)
        value = ''.join(words[place + 1 : place + 2])
        if not value.isdecimal():
            raise InputError(f'--methods {name}: {STEPS} requires a number')
        length = int(value)
        del words[place : place + 2]
    return Method(name, tuple(words), length)


# ------------------------------------------------------------------------ the table


def read_rows(table: Path) -> list[dict[str, str]]:
    """Return the rows of a table, and cut off what a killed process has begun to write.

    Raises:
        InputError: the file is not such a table.
    """
    if not table.is_file():
        return []
    content = table.read_bytes()
    whole = content[: content.rfind(b'\n') + 1]
    if whole != content:
        print(f'{table}: the last line is incomplete; its run is repeated')
        os.truncate(table, len(whole))
    head, *lines = csv.reader(whole.decode().splitlines()) if whole else [list(COLUMNS)]
    for number, line in enumerate([head, *lines], 1):
        if len(line) != len(COLUMNS) or tuple(head) != COLUMNS:
            raise InputError(
                f'{table}: line {number} does not have the columns {", ".join(COLUMNS)}. '
                'Correct it, or choose another file.'
            )
    return [dict(zip(COLUMNS, line, strict=True)) for line in lines]


def append_row(table: Path, row: dict) -> None:
    """Add a row to a table; it is on the disk when this returns."""
    with open(table, 'a', newline='') as file:
        writer = csv.DictWriter(file, COLUMNS, restval='', lineterminator='\n')
        if not file.tell():
            writer.writeheader()
        writer.writerow(row)
        file.flush()
        os.fsync(file.fileno())


# ------------------------------------------------------------------------ the runs


def measure(options: Namespace) -> None:
    """Do the runs that are not in the table.

    Raises:
        InputError: sets could not be read, or runs failed; all others are done by then.
    """
    methods = [read_method(text, options.steps) for text in options.methods]
    require_apart(Path(options.work_dir), '--work-dir', options.folder)
    work_dir = prepare_folder(options.work_dir, '--work-dir')
    prepare_folder(options.out.parent, '--out')
    faults: list[str] = []
    with folder_lock(work_dir, '--work-dir'):
        done = {tuple(row[name] for name in KEY) for row in read_rows(options.out)}
        shutil.rmtree(work_dir / 'data', ignore_errors=True)  # of sets that may have changed
        sets = read_sets(options, work_dir / 'data', faults)
        for each in runs(options, methods, sets):
            if each.key in done:
                continue
            try:
                row = row_of(each, sets[each.set], work_dir / 'runs', options.prefix)
            except InputError as error:
                _note(faults, error)
            else:
                append_row(options.out, row)
                print(*row.values(), flush=True)
    if faults:
        raise InputError('\n'.join([f'{len(faults)} failed, the others are done:', *faults]))


def _note(faults: list[str], error: InputError) -> None:
    faults.append(str(error))
    print(f'failed: {error}', file=sys.stderr, flush=True)


def read_sets(options: Namespace, work_dir: Path, faults: list[str]) -> dict[str, RealSet]:
    """Return the sets of a folder that can be read; ``faults`` gets what is wrong with others.

    Raises:
        InputError: there is no such set.
    """
    if not options.folder.is_dir():
        raise InputError(f'{options.folder}: no such folder')
    roots = {root.name: root for root in sorted(options.folder.iterdir()) if root.is_dir()}
    chosen = options.sets or roots
    if unknown := [name for name in chosen if name not in roots]:
        raise InputError(f'--sets {unknown[0]}: {options.folder} has {", ".join(roots)}')
    found = {}
    for name in chosen:
        try:
            found[name] = RealSet(roots[name], work_dir)
        except InputError as error:
            _note(faults, error)
    return found


def runs(options: Namespace, methods: list[Method], sets: dict[str, RealSet]) -> Iterator[Run]:
    """Yield the runs; all sets come before the next method, so a part of them compares."""
    for name, each in sets.items():
        for n in options.n:
            if len(each.drawable) < n:
                print(f'{name}: skipped for n={n}, it has {len(each.drawable)} training images')
    for seed in options.seeds:
        for n in options.n:
            for method in methods:
                fitting = (name for name, each in sets.items() if len(each.drawable) >= n)
                yield from (Run(name, n, seed, method) for name in fitting)


def row_of(each: Run, real_set: RealSet, work_dir: Path, prefix: str) -> dict:
    """Do a run in a process of its own and return its row.

    Raises:
        InputError: it failed; the message has the last line of its log.
    """
    folder = work_dir / '-'.join(each.key)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    data = real_set.write(each.n, each.seed)
    module = [*shlex.split(prefix), sys.executable, '-m', 'benchmarks.own_sets_run']
    given = [str(data), str(folder), str(each.method.steps), str(each.seed)]
    # feature maps that another run has cached would make this one look cheap
    environment = {**os.environ, 'XDG_CACHE_HOME': str(folder / 'cache')}
    log = work_dir / f'{folder.name}.log'
    command = [*module, *given, *each.method.words_for(real_set.kind)]
    status = _run_in_a_group(command, log, environment)
    if status:
        *_, last = ['no output', *log.read_text().splitlines()]
        raise InputError(f'{each}: exit status {status}: {last} ({log})')
    found = json.loads((folder / RESULT).read_text())
    shutil.rmtree(folder)
    return {**dict(zip(KEY, each.key, strict=True)), **found, 'version': __version__}


def _run_in_a_group(command: list[str], log: Path, environment: dict[str, str]) -> int:
    """Run a command and return its exit status; whatever it has started ends when this does."""
    with open(log, 'w') as file:
        streams = {'stdout': file, 'stderr': subprocess.STDOUT}
        group = {'start_new_session': True, 'env': environment}
        with subprocess.Popen(command, **streams, **group) as process:
            try:
                return process.wait()
            finally:
                with suppress(ProcessLookupError):  # it has ended by itself
                    os.killpg(process.pid, signal.SIGTERM)


def main() -> None:
    """Do what the command line says."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    add = parser.add_argument
    add('folder', type=Path, nargs='?', metavar='FOLDER', help='with a subfolder for each set')
    methods = f'known: {", ".join(METHODS)} (default: noise lite0)'
    add('--methods', nargs='+', default=['noise', 'lite0'], metavar='NAME[=WORDS]', help=methods)
    add('--sets', nargs='+', metavar='NAME', help='subfolders to use (default: all)')
    numbers = 'numbers of training images (default: 10 25 50 100)'
    add('--n', nargs='+', type=count, default=[10, 25, 50, 100], metavar='N', help=numbers)
    seeds = 'of the drawn images and of training (default: 0 1 2)'
    add('--seeds', nargs='+', type=int, default=[0, 1, 2], metavar='SEED', help=seeds)
    add('--steps', type=count, default=300, metavar='N', help='of training (default: 300)')
    prefix = 'in front of the command of each run, such as "nice -n 5"'
    add('--prefix', default='', metavar='WORDS', help=prefix)
    add('--work-dir', default='work_dirs/own_sets', help='for the drawn images and logs')
    add('--out', type=Path, default=Path('docs/lab/own_sets.csv'), help='CSV file of all runs')
    page = 'write the tables of --out below the mark of this page, and the picture'
    add('--summary', type=Path, metavar='PAGE', help=page)
    add('--picture', type=Path, default=Path('docs/images/own_sets.png'), help='of --summary')
    options = parser.parse_args()
    if not options.folder and not options.summary:
        parser.error('give FOLDER, --summary, or both')
    sys.exit(run(lambda: _measure_and_summarize(options)))


def _measure_and_summarize(options: Namespace) -> None:
    try:
        if options.folder:
            measure(options)
    finally:
        if options.summary:
            write_page(read_rows(options.out), options.summary, options.picture)


if __name__ == '__main__':
    main()
