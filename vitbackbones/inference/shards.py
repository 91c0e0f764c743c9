"""Split a large source of pictures into shards, at any address of fsspec, and write their answers.

A shard is done when its file is there, so a job that was stopped goes on behind it. A file is
complete or absent: on a disk it is renamed, and object stores put whole objects.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from ..data.sources import SUFFIXES
from ..errors import InputError
from ..utils.files import prepare_folder, write_file
from ..utils.messages import plural
from ..utils.packages import import_optional

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
        lines = fs.cat_file(path).decode(errors='surrogateescape').splitlines()
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
