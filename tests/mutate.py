"""Change the package in one place at a time, and see whether a test fails.

python tests/mutate.py
python tests/mutate.py vitbackbones/layers --number 40 --seed 1
python tests/mutate.py vitbackbones --since v1.0 --number 300

What no test sees is printed as ``file:line: old -> new``, at the end the share that was seen. A
survivor is a missing test, or a change that makes no difference. The same seed draws the same
changes. The clone stays as it is: a copy of it is changed. The toolboxes are imported once and
tests run in forks of that process, so a change costs seconds.
"""

import csv
import importlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.util import cache_from_source
from multiprocessing import get_context
from pathlib import Path
from unittest.mock import MagicMock

import pytest
from mutations import Change, changes

ROOT = Path(__file__).resolve().parents[1]
PARTS = ['vitbackbones/layers', 'vitbackbones/weights', 'vitbackbones/training']
HELD_BY = Path(__file__).with_name('held_by.csv')
TOOLBOXES = ['mmengine.runner', 'mmdet.apis', 'mmseg.apis', 'mmpretrain.models', 'timm']


def tests_of(file: str) -> list[str]:
    """Return the tests of a file, in this order.

    The examples in its docstrings; those of its name; those that ``held_by.csv`` has for the file;
    those that import it; and those that it has for the folder.
    """
    path = Path(file).relative_to('vitbackbones').with_suffix('')
    tests = [file] if '>>> ' in Path(file).read_text() else []
    tests += [*map(str, mirrors(path)), *held_by(f'{path}.py')]
    module = '.'.join(('vitbackbones', *path.parts)).removesuffix('.__init__')
    package, _, name = module.rpartition('.')
    imported = re.compile(rf'\b{package}(\.| import .*\b){name}\b')
    tests += [str(test) for test, text in test_files().items() if imported.search(text)]
    tests += held_by(path.parts[0])
    if not tests:
        sys.exit(f'{file}: no test holds it; add a row to {HELD_BY.name}')
    return list(dict.fromkeys(tests))


def mirrors(path: Path) -> list[Path]:
    """Return the tests that have the name of a module, a path from the package without suffix."""
    if path.name == '__init__':
        path = path.parent
    named = [Path('tests', path.parent, f'test_{path.name}.py'), Path('tests', path)]
    return [test for test in named if test.is_file() or any(test.glob('test_*.py'))]


@cache
def held_by(place: str) -> list[str]:
    """Return the tests that the table has for a module or a folder of the package."""
    with HELD_BY.open(newline='') as rows:
        named = {row['module']: row['tests'].split() for row in csv.DictReader(rows)}
    return [f'tests/{test}' for test in named.get(place, ())]


@cache
def test_files() -> dict[Path, str]:
    """Return all files of tests with their text."""
    return {file: file.read_text() for file in sorted(Path('tests').rglob('test_*.py'))}


def seen_by(change: Change) -> str | None:
    """Return the first test of the changed file that fails, or None if all pass."""
    for test in tests_of(change.file):
        limit = time_limit(test)
        if limit is None:
            continue
        with applied(change):
            if not passes(test, limit):
                return test
    return None


@contextmanager
def applied(change: Change) -> Iterator[None]:
    """Have the file changed inside."""
    file, compiled = Path(change.file), Path(cache_from_source(change.file))
    before = file.read_bytes()
    try:
        file.write_bytes(change.content)
        compiled.unlink(missing_ok=True)  # changes within a second would be taken for the same
        yield
    finally:
        file.write_bytes(before)
        compiled.unlink(missing_ok=True)


@cache
def time_limit(test: str) -> float | None:
    """How many seconds a test may take; None for one that fails before anything is changed."""
    start = time.monotonic()
    if not passes(test):
        print(f'{test}: left out, as it fails before anything is changed', flush=True)
        return None
    return 20 + 3 * (time.monotonic() - start)


def passes(test: str, limit: float | None = None) -> bool:
    """Whether a file or folder of tests passes in a fork of this process, within ``limit``."""
    child = get_context('fork').Process(target=_run, args=(test,))
    child.start()
    child.join(limit)
    if child.is_alive():
        os.killpg(child.pid, 9)
        child.join()
    return child.exitcode == 0


def _run(test: str) -> None:
    os.setpgrp()  # what the tests start ends with them
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
    silence = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(silence, stream)
    use_operators()
    options = ['-x', '-q', '-p', 'no:cacheprovider']
    if test.startswith('vitbackbones'):  # the examples in docstrings
        options += ['--doctest-modules', '-o', 'doctest_optionflags=NORMALIZE_WHITESPACE']
    sys.exit(pytest.main([*options, test]))


def enter_copy(folder: Path) -> None:
    """Copy the project to ``folder`` and enter it, so that imports are taken from there."""
    command = ['git', 'ls-files', '--cached', '--others', '--exclude-standard']
    files = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(os.path.isfile, files.splitlines()):  # a link to an environment is a folder
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    os.chdir(folder)
    sys.path[0] = str(folder)
    os.environ['PYTHONPATH'] = str(folder)  # for what tests start


def import_toolboxes() -> None:
    """Import what takes long and is not changed."""
    stand_in = MagicMock(__spec__=ModuleSpec('mmcv._ext', loader=None))  # see missing_packages.py
    sys.modules.setdefault('mmcv._ext', stand_in)
    for name in TOOLBOXES:
        importlib.import_module(name)


def use_operators() -> None:
    """Give mmcv's modules the package's operators, which are not to be imported before a fork."""
    from vitbackbones.openmmlab.operators import Operators

    ours = Operators('mmcv._ext')
    for name, module in list(sys.modules.items()):
        if name.startswith('mmcv.ops.') and hasattr(module, 'ext_module'):
            module.ext_module = ours


def draw(parts: Sequence[str], number: int, seed: int, since: str | None) -> list[Change]:
    """Return some of all changes of the files in ``parts``, by file and line."""
    every = [change for file in files_of(parts) for change in changes_of(file, since)]
    return choose(every, number, random.Random(seed))


def draw_per_file(parts: Sequence[str], number: int, seed: int, since: str | None) -> list[Change]:
    """Return up to ``number`` changes of each file in ``parts``, by file and line."""
    generator = random.Random(seed)
    return [
        change
        for file in files_of(parts)
        for change in choose(changes_of(file, since), number, generator)
    ]


def files_of(parts: Sequence[str]) -> list[str]:
    """Return the files in ``parts``, which are files or folders."""
    files = {file for part in parts for file in [Path(part), *Path(part).rglob('*.py')]}
    return sorted(str(file) for file in files if file.is_file())


def changes_of(file: str, since: str | None) -> list[Change]:
    """Return all changes of a file, or those in lines that were written since a revision."""
    every = list(changes(file, Path(file).read_bytes()))
    if since is None:
        return every
    written = written_since(since, file)
    return [change for change in every if change.line in written]


def written_since(revision: str, file: str) -> set[int]:
    """Return the numbers of a file's lines that were written, not moved, after a revision."""
    blame = ['git', 'blame', '-s', '-w', '-C', '-C', f'{revision}..HEAD', '--', file]
    lines = subprocess.run(blame, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    written = (not line.startswith('^') for line in lines.splitlines())
    return {number for number, new in enumerate(written, 1) if new}


def choose(every: list[Change], number: int, generator: random.Random) -> list[Change]:
    """Return ``number`` of the changes, or all if there are fewer, in their order."""
    chosen = generator.sample(range(len(every)), min(number, len(every)))
    return [every[i] for i in sorted(chosen)]


def parse() -> Namespace:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    add = parser.add_argument
    add('parts', nargs='*', default=PARTS, help=f'files or folders (default: {" ".join(PARTS)})')
    add('--number', type=int, default=120, help='how many changes (default: %(default)s)')
    add('--per-file', type=int, help='how many changes of each file, in place of --number')
    add('--since', metavar='REVISION', help='change only lines that were written after it')
    add('--each', action='store_true', help='also print what was seen, by which test, and how fast')
    add('--seed', type=int, default=0, help='which ones (default: %(default)s)')
    return parser.parse_args()


def drawn_by(options: Namespace) -> list[Change]:
    """Return the changes that the options ask for."""
    if options.per_file is None:
        return draw(options.parts, options.number, options.seed, options.since)
    return draw_per_file(options.parts, options.per_file, options.seed, options.since)


def sees(change: Change, each: bool) -> bool:
    """Whether a test sees a change; a change that none sees is printed, with ``each`` any."""
    start = time.monotonic()
    test = seen_by(change)
    if test is None:
        print(change, flush=True)
    elif each:
        print(f'  ({change}: {test}, {time.monotonic() - start:.0f} s)', flush=True)
    return test is not None


def main() -> None:
    options = parse()
    with tempfile.TemporaryDirectory() as folder:
        enter_copy(Path(folder))
        import_toolboxes()
        drawn = drawn_by(options)
        seen = sum(sees(change, options.each) for change in drawn)
        print(f'{seen} of {len(drawn)} changes were seen: {seen / len(drawn):.0%}')
        os.chdir(ROOT)


if __name__ == '__main__':
    main()
