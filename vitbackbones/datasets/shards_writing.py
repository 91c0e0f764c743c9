"""Write pictures and labels into tar shards, with webdataset's writer.

The same pictures give the same shards on every machine, byte for byte: their order is that of a
hash of their names, which mixes the classes, and neither times nor users are stored. So a shard
that is there already can be compared with what it should hold, and a command that was killed goes
on where it was.
"""

import os
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from multiprocessing.pool import ThreadPool
from pathlib import Path
from tarfile import BLOCKSIZE
from typing import BinaryIO, NamedTuple

from ..errors import InputError
from ..files import whole_file
from ..messages import cut
from ..packages import import_optional
from .checks.findings import IMAGES
from .image_file import naming, read_content
from .shards_index import Shard, scan

THREADS = 16  # that read files at a time: on network disks it is the waiting that takes long
READ_AHEAD = 256  # pictures in memory
OWN = 3 * BLOCKSIZE  # bytes that a picture takes beside its own: two headers and the label
COPY = ' Put a good copy there, or take it out of the data set.'


class Picture(NamedTuple):
    """A file, its name in a shard, its label, and its size in bytes."""

    path: str
    member: str
    label: int
    size: int


def plan(samples: Sequence[dict]) -> list[Picture]:
    """Return what to write for the samples of a data set, in the order in which to write it.

    Names are relative to the folder that all files share. The first dot of a name ends the key of
    a sample, so other dots become underscores.

    Raises:
        InputError: a file is not there, has no suffix of a picture, or two would get one key.
    """
    paths = [sample['img_path'] for sample in samples]
    root = os.path.commonpath([os.path.dirname(path) for path in paths])
    members = [_member(path, root) for path in paths]
    _require_unique(paths, members)
    with ThreadPool(THREADS) as pool:
        sizes = pool.map(_size, paths, chunksize=64)
    labels = [int(sample['gt_label']) for sample in samples]
    pictures = map(Picture._make, zip(paths, members, labels, sizes, strict=True))
    return sorted(pictures, key=lambda picture: blake2b(os.fsencode(picture.member)).digest())


def _member(path: str, root: str) -> str:
    name, suffix = os.path.splitext(os.path.relpath(path, root))
    if suffix.lower() not in IMAGES:
        raise InputError(f'image file {path}: shards hold {", ".join(IMAGES)}. Convert it.')
    folder, slash, stem = name.rpartition('/')
    return f'{folder}{slash}{stem.replace(".", "_")}{suffix}'


def _require_unique(paths: Sequence[str], members: Sequence[str]) -> None:
    first: dict[str, str] = {}
    for path, member in zip(paths, members, strict=True):
        key = os.path.splitext(member)[0]
        if key in first:
            raise InputError(
                f'image files {first[key]} and {path}: both would be {cut(key)} in a shard. '
                'Rename one.'
            )
        first[key] = path


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError as error:
        raise InputError(f'image file {path}: {error.strerror}.{COPY}') from error


def stored_bytes(pictures: Sequence[Picture]) -> int:
    """Return how much room pictures take in a shard."""
    return sum(-(-picture.size // BLOCKSIZE) * BLOCKSIZE + OWN for picture in pictures)


# ------------------------------------------------------------------------ shards


def write_shard(path: Path, pictures: Sequence[Picture]) -> Shard:
    """Write one shard, or look at the one that is there; it has its name only when it is whole.

    Raises:
        InputError: a file cannot be read or is no image, or the shard holds other pictures.
    """
    if not path.exists():
        with whole_file(path) as file:
            _write(file, pictures)
    shard = scan(path)
    found = zip(shard.members, shard.labels, shard.sizes, strict=True)
    if list(found) != [(p.member, p.label, p.size) for p in pictures]:
        raise InputError(
            f'shard {path}: holds other pictures than those that belong there now. Remove the '
            'shards of an earlier data set or --shard-size, or choose another folder.'
        )
    return shard


def _write(file: BinaryIO, pictures: Sequence[Picture]) -> None:
    writer = import_optional('webdataset', 'webdataset').TarWriter
    # PAX, unlike webdataset's default, has no limit for names
    with writer(file, encoder=False, mtime=0, format='PAX_FORMAT') as tar:
        for picture, content in zip(pictures, _contents(pictures), strict=True):
            key, suffix = os.path.splitext(picture.member)
            label = str(picture.label).encode()
            tar.write({'__key__': key, suffix.removeprefix('.'): content, 'cls': label})


def _contents(pictures: Sequence[Picture]) -> Iterator[bytes]:
    """Yield the bytes of the files, which are read some at a time."""
    with ThreadPool(THREADS) as pool:
        for start in range(0, len(pictures), READ_AHEAD):
            yield from pool.map(_read, pictures[start : start + READ_AHEAD])


def _read(picture: Picture) -> bytes:
    """Read a file.

    Raises:
        UnreadableImage: it cannot be read, or does not begin as an image.
    """
    with naming(picture.path, COPY):
        content, header = read_content(picture.path)
        if header is None:
            raise ValueError('not an image')
        return content
