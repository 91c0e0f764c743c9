"""A cache of exported graphs.

The graphs of a model are in one folder of the cache, named by the SHA-256 of all that its answers
depend on: what its config says, its weights, the code and the versions of packages. ``any.xml`` is
for images of any size, ``320x256.xml`` for those of one. Each was proved when it was exported, and
then sealed: without a seal of its card in its place it is none.

A note says which folder answered a command line, and which files led there. As long as they are the
same, the command needs neither torch nor the toolboxes.
"""

import fcntl
import hashlib
import json
import os
import shutil
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from threading import Lock

from ..errors import InputError
from ..utils.files import LOCK, read_json, write_file
from ..utils.messages import show_warnings
from ..version import __version__
from .card import card_path, digest
from .model import Exported, load
from .runtimes import runtime_of

PACKAGE = Path(__file__).parents[1]
ANY = 'any'
SEAL = '.seal'
# how the names of packages begin whose version may change an answer
COMPUTING = ('mm', 'numpy', 'onedl_mm', 'onnx', 'opencv', 'openvino', 'pillow', 'timm', 'torch')
MOST_GRAPHS = 4  # of one model, each for one size
CALLS = 'calls.json'  # in how many calls torch answered images of a size, by the name of its graph
FREQUENT = 4  # calls after which the next one makes the graph
TURN = Lock()  # between threads, which a lock of a file does not separate
MOST_BYTES = 4 * 10**9  # of all graphs and notes


def cache_folder() -> Path:
    """Return the folder of the cache, ``vitbackbones/graphs`` in ``XDG_CACHE_HOME``."""
    root = os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache'
    return Path(root, 'vitbackbones', 'graphs')


def key_of(content: Mapping) -> str:
    """Return the SHA-256 of content that JSON can represent."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def name_of(size: Sequence[int]) -> str:
    """Return the name of a graph for images of a size, (H, W).

    >>> name_of((320, 256))
    '320x256'
    """
    return f'{size[0]}x{size[1]}'


class Graphs:
    """The graphs of one model in the cache.

    Args:
        key: of all that its answers depend on.
        suffix: of exported files, one of :data:`.runtimes.BY_SUFFIX`.

    Attributes:
        folder: where they are.
        runtime: name and version of what computes them.
    """

    def __init__(self, key: str, suffix: str) -> None:
        self.folder = cache_folder() / key
        self.suffix = suffix
        self.runtime = runtime_of(suffix)

    def names(self) -> list[str]:
        """Return the names of those that are there, sorted."""
        seals = self.folder.glob(f'*{self.suffix}{SEAL}')
        return sorted(seal.name.removesuffix(self.suffix + SEAL) for seal in seals)

    def file(self, name: str) -> Path:
        """Return the file of a graph, which may not be there."""
        return self.folder / f'{name}{self.suffix}'

    def open(self, name: str, precision: str = 'auto', streams: bool = False) -> Exported | None:
        """Return a graph, None where there is none. One that is damaged is none, and said.

        ``precision`` and ``streams`` are those of :func:`.model.load`.
        """
        file = self.file(name)
        seal = self._seal_file(name)
        if not seal.exists():
            return None
        chosen = os.environ.get('OMP_NUM_THREADS', '')
        try:
            if read_json(seal) != self._seal(name):
                raise InputError(
                    f'{file}: the file or its metadata file was changed after the export'
                )
            threads = int(chosen) if chosen.isdecimal() else 0
            return load(file, threads, precision=precision, streams=streams)
        except (InputError, OSError) as error:
            show_warnings([f'{error}. It is exported again.'])
            with suppress(OSError):
                seal.unlink()
            return None

    def seal(self, name: str) -> None:
        """Seal a graph that was exported.

        Raises:
            InputError: the seal cannot be written.
        """
        write_file(self._seal_file(name), json.dumps(self._seal(name)).encode())

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait until nobody else adds a graph, and keep other threads and processes waiting.

        Raises:
            OSError: the folder cannot be written to.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        with TURN, open(self.folder / LOCK, 'a') as file:
            with suppress(OSError):  # a file system without locks
                fcntl.lockf(file, fcntl.LOCK_EX)
            yield

    def _seal_file(self, name: str) -> Path:
        return self.folder / f'{name}{self.suffix}{SEAL}'

    def _seal(self, name: str) -> str:
        # the card has the SHA-256 of the graph
        place = [self.folder.name, name, digest(card_path(self.file(name)))]
        return key_of({'graph': place})

    def count_call(self, name: str) -> None:
        """Note that torch answered in this call, because there was no graph of this name."""
        with suppress(InputError, OSError):  # a cache that cannot be written to costs time alone
            self.folder.mkdir(parents=True, exist_ok=True)
            calls = self._calls()
            calls[name] = calls.get(name, 0) + 1
            write_file(self.folder / CALLS, json.dumps(calls).encode())

    def frequent(self) -> list[str]:
        """Return the names of missing graphs that so many calls lacked.

        One that could not be made is returned again after as many calls.
        """
        there = self.names()
        calls = self._calls().items()
        return [name for name, number in calls if number % FREQUENT == 0 and name not in there]

    def _calls(self) -> dict[str, int]:
        try:
            calls = read_json(self.folder / CALLS)
        except (InputError, OSError):
            return {}
        is_counted = isinstance(calls, dict) and all(type(n) is int for n in calls.values())
        return calls if is_counted else {}

    def tidy(self) -> None:
        """Remove what was not asked for longest, beyond :data:`MOST_BYTES`; this model stays."""
        with suppress(OSError):  # another process tidies too, or may not write
            os.utime(self.folder)
            others = [each for each in cache_folder().iterdir() if each != self.folder]
            others.sort(key=lambda each: each.stat().st_mtime, reverse=True)
            room = MOST_BYTES
            for each in (self.folder, *others):  # models and notes
                room -= sum(file.stat().st_size for file in (each, *each.glob('*')))
                if room < 0 and each != self.folder:
                    shutil.rmtree(each) if each.is_dir() else each.unlink()


# ------------------------------------------------------------------------ what answers depend on


@cache
def versions() -> dict[str, str]:
    """Return the versions of all packages that affect a graph, and of the code of this package."""
    found = {'python': sys.version, 'vitbackbones': __version__}
    infos = [info.stem for place in sys.path for info in Path(place).glob('*.dist-info')]
    found['packages'] = ' '.join(sorted(s for s in {*infos} if s.lower().startswith(COMPUTING)))
    stamps = [
        (str(file.relative_to(PACKAGE)), (stat := file.stat()).st_mtime_ns, stat.st_size)
        for file in sorted(PACKAGE.rglob('*.py'))
    ]
    return found | {'code': key_of({'files': stamps})}


def foreign_code() -> list[Path]:
    """Return the files of imported modules that belong to no installed package."""
    paths = sysconfig.get_paths()
    known: list[str | Path] = [paths['stdlib'], paths['platstdlib'], PACKAGE]
    modules = dict(sys.modules)
    main = modules.pop('__main__')
    kinds = [part for part in vars(main).values() if isinstance(part, type)]
    if any(kind.__module__ == '__main__' for kind in kinds):
        modules['__main__'] = main  # other scripts have no part of a model, and change often
    files = {Path(getattr(module, '__file__', None) or '') for module in modules.values()}
    return sorted(
        file
        for file in files
        if file.is_file()  # some modules name files that are not there
        and not {'site-packages', 'dist-packages'} & {*file.parts}
        and not any(file.is_relative_to(folder) for folder in known)
    )


# ------------------------------------------------------------------------ notes


def _note(words: Mapping) -> Path:
    place = {'words': dict(words), 'folder': os.getcwd()}
    return cache_folder() / f'{key_of(place)}.json'


def remember(words: Mapping, files: Iterable[Path], folders: Iterable[Path], found: dict) -> None:
    """Write a note for a command line.

    Args:
        words: what of the command line led to a model.
        files: that say which one it is; their content is noted.
        folders: in which nothing may have changed.
        found: what :func:`recall` returns as long as nothing has changed.
    """
    rests_on = {
        'versions': versions(),
        'files': {str(file): digest(file) for file in files},
        'folders': {str(folder): folder.stat().st_mtime_ns for folder in folders},
    }
    note = {'rests_on': rests_on, 'found': found}
    with suppress(InputError, OSError):  # a cache that cannot be written to costs time alone
        write_file(_note(words), json.dumps([key_of(note), note]).encode())


def recall(words: Mapping) -> dict | None:
    """Return what was noted for a command line; None where there is nothing, or not any more."""
    try:
        key, note = read_json(_note(words))
        rests_on = note['rests_on']
        same = (
            key == key_of(note)
            and rests_on['versions'] == versions()
            and all(digest(file) == value for file, value in rests_on['files'].items())
            and all(Path(f).stat().st_mtime_ns == t for f, t in rests_on['folders'].items())
        )
        if same:
            with suppress(OSError):
                os.utime(_note(words))  # it was asked for, see Graphs.tidy
        return note['found'] if same else None
    except (InputError, OSError, KeyError, TypeError, ValueError):
        return None
