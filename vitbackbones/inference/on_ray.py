"""Predict a large source on a Ray cluster: Ray Data gives shards to actors with a model each.

An answer does not depend on where it was computed: a shard is answered by :class:`.run.Run`, as
``predict`` does on one machine, and written at once. A source and its answers may be at any address
of fsspec. A shard is done when its file is there, so a job that was stopped goes on behind it. A
file is complete or absent: on a disk it is renamed, and object stores put whole objects.
"""

import json
import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any, NamedTuple

from ..data.sources import SUFFIXES, Source
from ..errors import InputError
from ..runtime.cache import key_of
from ..utils.cluster import claimed, connected, share_of
from ..utils.files import prepare_folder, write_file
from ..utils.messages import plural
from ..utils.packages import import_optional
from .journal import Journal, require_same
from .open import WRITERS, find_model
from .request import ModelRequest
from .run import Model, Run
from .tiles import in_tiles

EXTRA = "'vitbackbones[ray]'"
LIST, TABLE = '.txt', '.parquet'
LOCAL = 'file://'
COLUMN = 'path'  # of a table
UNREADABLE = 'unreadable'  # the folder that names such pictures


@dataclass(frozen=True)
class Shard:
    """Some of the pictures of a source.

    Attributes:
        number: from 0.
        root: the address that ``names`` are relative to, '' where they are addresses.
        names: of the pictures; empty where they are in a table.
        table: the address of a parquet file whose row group ``group`` holds the addresses.
    """

    number: int
    root: str = ''
    names: Sequence[str] = ()
    table: str = ''
    group: int = 0

    def addresses(self) -> dict[str, str]:
        """Return the address of each picture, by the name that its answer has.

        Raises:
            InputError: a name leads out of its folder.
        """
        if self.root:
            found = {name: f'{self.root}/{name}' for name in self.names}
        else:
            listed = self.names or read_column(self.table, self.group)
            found = {str(each).partition('://')[2] or str(each): str(each) for each in listed}
            found = {name.lstrip('/'): address for name, address in found.items()}
        for name in found:
            if '..' in PurePosixPath(name).parts:
                raise InputError(f'{name}: an address must not contain ".."')
        return found

    def text(self) -> str:
        """Return this as JSON."""
        return json.dumps(asdict(self))


def find_shards(source: str, size: int) -> list[Shard]:
    """Return the shards of a folder, a list (.txt) or parquet files.

    Pictures of a folder are in the order of ``find_sources``. Of parquet files only the ends are
    read: a row group becomes a shard.

    Raises:
        InputError: there is no such source, or no picture in it.
    """
    fs, path = filesystem(source)
    if source.endswith(TABLE):
        tables = sorted(fs.glob(path))
        places = [(fs.unstrip_protocol(table), i) for table in tables for i in groups(fs, table)]
        shards = [Shard(i, table=table, group=group) for i, (table, group) in enumerate(places)]
    elif source.endswith(LIST) and fs.isfile(path):
        lines = fs.cat_file(path).decode('utf-8-sig', 'surrogateescape').splitlines()
        shards = _cut('', [line.strip() for line in lines if line.strip()], size)
    elif fs.isdir(path):
        root = fs.unstrip_protocol(path).rstrip('/')
        files = [PurePosixPath(file).relative_to(path.rstrip('/')) for file in fs.find(path)]
        pictures = [f for f in files if f.suffix.lower() in SUFFIXES and f.name[0] != '.']
        shards = _cut(root, [str(file) for file in sorted(pictures)], size)
    else:
        raise InputError(f'{source}: no such folder, list ({LIST}) or table ({TABLE})')
    if not shards:
        raise InputError(f'{source}: no image or video there')
    return shards


def _cut(root: str, names: Sequence[str], size: int) -> list[Shard]:
    each = [*dict.fromkeys(names)]
    starts = range(0, len(each), size)
    return [Shard(i, root, each[start : start + size]) for i, start in enumerate(starts)]


def groups(fs: Any, table: str) -> range:
    """Return the numbers of the row groups of a parquet file, from its end alone."""
    parquet = import_optional('pyarrow.parquet', EXTRA)
    with fs.open(table, 'rb') as file:
        return range(parquet.ParquetFile(file).num_row_groups)


def read_column(table: str, group: int) -> list[str]:
    """Return the addresses in a row group of a parquet file.

    Raises:
        InputError: it has no such column.
    """
    parquet = import_optional('pyarrow.parquet', EXTRA)
    fs, path = filesystem(table)
    with fs.open(path, 'rb') as file:
        opened = parquet.ParquetFile(file)
        if COLUMN not in opened.schema_arrow.names:
            raise InputError(f'{table}: has no column {COLUMN!r} with the addresses of images')
        return opened.read_row_group(group, columns=[COLUMN])[COLUMN].to_pylist()


def filesystem(address: str) -> tuple[Any, str]:
    """Return the file system of an address, and the path there.

    Raises:
        InputError: fsspec, or what it needs for such an address, is not installed.
    """
    core = import_optional('fsspec.core', EXTRA)
    try:
        return core.url_to_fs(address)
    except (ImportError, ValueError) as error:
        raise InputError(f'{address}: {error}') from error


class Output:
    """The folder of the answers, at any address.

    Attributes:
        address: of it, absolute.
        suffix: of the shards, ``.jsonl`` or ``.parquet``.
    """

    def __init__(self, address: str, suffix: str) -> None:
        self.fs, self.path = filesystem(address)
        self.address = self.fs.unstrip_protocol(self.path)
        self.suffix = suffix
        self.is_local = self.address.startswith(LOCAL)
        if self.is_local:
            prepare_folder(self.path, '--out')

    def part(self, number: int) -> str:
        """Return the name of a shard."""
        return f'part-{number:06d}{self.suffix}'

    def done(self) -> set[str]:
        """Return the names of all files in the folder."""
        if not self.fs.isdir(self.path):
            return set()
        return {PurePosixPath(name).name for name in self.fs.ls(self.path, detail=False)}

    def has(self, name: str) -> bool:
        """Return whether a file is there; of a billion images the list of all is long."""
        return self.fs.exists(f'{self.path.rstrip("/")}/{name}')

    def put(self, name: str, content: bytes) -> None:
        """Write a file as a whole.

        Raises:
            InputError: the disk is full, or nothing can be written there.
        """
        path = f'{self.path.rstrip("/")}/{name}'
        if self.is_local:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            write_file(Path(path), content)
        else:
            self.fs.pipe_file(path, content)

    def read(self, name: str) -> bytes:
        """Return the content of a file."""
        return self.fs.cat_file(f'{self.path.rstrip("/")}/{name}')

    def answers(self, records: Sequence[dict]) -> bytes:
        """Return the content of a shard.

        A parquet file has the columns ``file_name`` and ``answer``, the line as JSON.
        """
        lines = [json.dumps(record) for record in records]
        if self.suffix == '.jsonl':
            return ''.join(f'{line}\n' for line in lines).encode()
        arrow = import_optional('pyarrow', EXTRA)
        parquet = import_optional('pyarrow.parquet', EXTRA)
        names = [record['file_name'] for record in records]
        table = arrow.table({'file_name': names, 'answer': lines})
        sink = arrow.BufferOutputStream()
        parquet.write_table(table, sink)
        return sink.getvalue().to_pybytes()

    def say(self) -> str:
        """Return how many pictures were unreadable, and where they are named."""
        folder = f'{self.path.rstrip("/")}/{UNREADABLE}'
        files = self.fs.ls(folder, detail=False) if self.fs.isdir(folder) else []
        bad = sum(self.fs.cat_file(file).count(b'\n') for file in files)
        return f'{plural(bad, "image")} unreadable, see {self.address}/{UNREADABLE}' if bad else ''


# ------------------------------------------------------------------------ the job


SETTINGS = 'settings.json'
LISTED = 'the list of images in INPUT'  # a shard that is done stands for a part of it
MOST_BLOCKS = 10_000  # of Ray Data; more only cost time


@dataclass(frozen=True)
class Job:
    """What all actors know.

    Attributes:
        request: which model to use.
        folder: the current one, which relative paths mean.
        out: the address of the answers.
        suffix: of the shards.
        batch_size: images at a time.
        masks: the form of an object's mask.
    """

    request: ModelRequest
    folder: str
    out: str
    suffix: str
    batch_size: int
    masks: str


class Opened(NamedTuple):
    """A model, and where its answers go."""

    model: Model
    task: str
    out: Output


class Answerer:
    """A model that answers shards; an actor has one."""

    def __init__(self, job: Job) -> None:
        self.job = job

    @cached_property
    def opened(self) -> 'Opened':
        """The model, and where its answers go."""
        if os.path.isdir(self.job.folder):
            os.chdir(self.job.folder)
        found = find_model(self.job.request)
        model = in_tiles(found.load(), found.tiling, self.job.batch_size)
        return Opened(model, found.task, Output(self.job.out, self.job.suffix))

    def __call__(self, row: dict) -> dict:
        """Answer a shard; return how many were answered, or the ``error`` for the user."""
        try:
            return {'answered': self._answer(Shard(**json.loads(row['shard']))), 'error': ''}
        except InputError as error:  # Ray would give it back as a text with many lines
            return {'answered': 0, 'error': str(error)}

    def _answer(self, shard: Shard) -> int:
        """Answer a shard, unless it was written before its actor was lost; return how many."""
        model, task, out = self.opened
        name = out.part(shard.number)
        if out.has(name):
            return 0
        with TemporaryDirectory(prefix='vitbackbones-') as place:
            folder = Path(place)
            sources, failed = fetch(shard, folder / 'images')
            writer = WRITERS[task](folder, model.meta, 0.0, self.job.masks)
            journal = Journal(folder, {}, resume=False)
            run = Run(model, writer, journal, self.job.batch_size, draw=False)
            run.all(sources)
            records = journal.read([source.name for source in sources])
            for file in sorted(folder.rglob('*.png')):
                if 'images' not in file.relative_to(folder).parts[:1]:  # masks
                    out.put(file.relative_to(folder).as_posix(), file.read_bytes())
            paths = {source.name: str(source.path) for source in sources}
            failed |= {key: text.replace(paths[key], key) for key, text in run.failed.items()}
        if lines := [json.dumps({'file_name': key, 'error': failed[key]}) + '\n' for key in failed]:
            out.put(f'{UNREADABLE}/part-{shard.number:06d}.jsonl', ''.join(lines).encode())
        out.put(name, out.answers(records))
        return len(records)


def fetch(shard: Shard, folder: Path) -> tuple[list[Source], dict[str, str]]:
    """Return the pictures of a shard as local files, and the reasons why others are not there."""
    folder.mkdir()
    sources = []
    missing = {}
    for number, (name, address) in enumerate(shard.addresses().items()):
        fs, path = filesystem(address)
        try:
            if fs.unstrip_protocol(path).startswith(LOCAL):
                local = Path(path)
                os.stat(local)
            else:
                local = folder / f'{number}{Path(name).suffix}'  # a name may have any characters
                with fs.open(path, 'rb') as remote, local.open('wb') as copy:
                    shutil.copyfileobj(remote, copy)
        except FileNotFoundError:  # anything else is not the picture's fault, and stops the job
            missing[name] = 'no such file'
            continue
        sources.append(Source(local, name))
    return sources, missing


def predict_on_ray(
    job: Job, source: str, size: int, address: str, settings: dict, resume: bool, overwrite: bool
) -> str:
    """Answer all pictures of a source, and return what was done in words.

    Args:
        job: what actors know.
        source: a folder, list or table, see :func:`find_shards`.
        size: pictures of a shard.
        address: of the cluster.
        settings: what the answers depend on, by the names that a user knows.
        resume, overwrite: what happens to answers that are there.

    Raises:
        InputError: something of the user's is wrong; what was answered is written.
    """
    shards = find_shards(source, size)
    out = Output(job.out, job.suffix)
    job = replace(job, out=out.address)  # the same for all nodes
    there = out.done()
    settings = settings | {LISTED: key_of({'shards': [each.text() for each in shards]})[:8]}
    if SETTINGS in there and resume:
        before = {LISTED: settings[LISTED]} | json.loads(out.read(SETTINGS))  # 1.0 did not say it
        require_same(before, settings, out.address)
    elif there and not overwrite:
        raise InputError(
            f'--out {job.out}: is not empty. Choose another folder, continue there with --resume, '
            'or start from the beginning with --overwrite'
        )
    with connected(address) as ray, claimed(ray, out.address):
        if not resume:
            for name in there:
                out.fs.rm(f'{out.path.rstrip("/")}/{name}', recursive=True)
        out.put(SETTINGS, json.dumps(settings, indent=1).encode())
        done = out.done()
        left = [shard for shard in shards if out.part(shard.number) not in done]
        answered = _go_through(ray, job, left)
    before = f', {len(shards) - len(left)} of them before' if len(left) < len(shards) else ''
    said = (
        f'{plural(len(shards), "shard")} in {out.address}{before}; {answered} images answered now'
    )
    return '; '.join(filter(None, [said, out.say()]))


def _go_through(ray: ModuleType, job: Job, shards: list[Shard]) -> int:
    """Answer shards, with one model on each node; return the number of answers."""
    from ray import data

    if not shards:
        return 0
    share = share_of(ray, (job.request.device or '').startswith('cuda'))
    rows = [{'shard': shard.text()} for shard in shards]
    dataset = data.from_items(rows, override_num_blocks=min(len(rows), MOST_BLOCKS)).map(
        Answerer,
        fn_constructor_args=(job,),
        num_cpus=share.cores,
        num_gpus=share.gpus or None,
        compute=data.ActorPoolStrategy(min_size=1, max_size=share.tasks),
    )
    return count_answers(dataset.iter_rows())


def count_answers(rows: Iterable[dict]) -> int:
    """Return the number of answers in what an :class:`Answerer` returned.

    Raises:
        InputError: a shard could not be answered.
    """
    answered = 0
    for row in rows:
        if row['error']:
            raise InputError(row['error'])
        answered += row['answered']
    return answered
