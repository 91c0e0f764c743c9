"""Write pictures and labels into tar shards that webdataset can also read.

The same pictures give the same shards on every machine, byte for byte: their order is that of a
hash of their names, which mixes the classes, and neither times nor users are stored. So a shard
that is there already can be compared with what it should hold, and a command that was killed goes
on where it was.
"""

import os
from collections.abc import Sequence
from hashlib import blake2b
from multiprocessing.pool import ThreadPool
from pathlib import Path
from tarfile import BLOCKSIZE, PAX_FORMAT, RECORDSIZE, TarInfo
from typing import NamedTuple

from ...errors import InputError
from ...utils.files import whole_file
from ..loading.image_file import naming, read_content
from .index import Shard

THREADS = 16  # that read files at a time: on network disks it is the waiting that takes long
READ_AHEAD = 256  # pictures in memory
END = bytes(2 * BLOCKSIZE)  # behind the last member
COPY = ' Replace it with a good copy, or remove it from the dataset.'


class Picture(NamedTuple):
    """A file, its name in a shard, its label, and its size in bytes."""

    path: str
    member: str
    label: int
    size: int


def plan(samples: Sequence[dict]) -> list[Picture]:
    """Return what to write for the samples of a dataset, in the order in which to write it.

    Names are relative to the folder that all files share. The first dot of a name ends the key of
    a sample, so other dots become underscores.

    Raises:
        UnreadableImage: a file is not there.
    """
    paths = [sample['img_path'] for sample in samples]
    root = os.path.commonpath([os.path.dirname(path) for path in paths])
    with ThreadPool(THREADS) as pool:
        sizes = pool.map(_size, paths, chunksize=64)
    pictures = []
    for sample, path, size in zip(samples, paths, sizes, strict=True):
        folder, file = os.path.split(os.path.relpath(path, root))
        stem, suffix = os.path.splitext(file)
        member = os.path.join(folder, stem.replace('.', '_') + suffix)
        pictures.append(Picture(path, member, int(sample['gt_label']), size))
    return sorted(pictures, key=lambda picture: blake2b(os.fsencode(picture.member)).digest())


def _size(path: str) -> int:
    with naming(path, COPY):
        return os.stat(path).st_size


def layout(name: str, pictures: Sequence[Picture]) -> Shard:
    """Return where pictures lie in the shard that is made of them."""
    offsets, end = [], 0
    for picture in pictures:
        before, behind = _frame(picture)
        offsets.append(end + len(before))
        end = offsets[-1] + picture.size + len(behind)
    return Shard(
        name,
        -(-(end + len(END)) // RECORDSIZE) * RECORDSIZE,
        [picture.member for picture in pictures],
        offsets,
        [picture.size for picture in pictures],
        [picture.label for picture in pictures],
    )


def write_shard(folder: Path, shard: Shard, pictures: Sequence[Picture]) -> None:
    """Write one shard, or check an existing one; it gets its final name when it is complete.

    Raises:
        InputError: a file cannot be read or is no image, or the shard holds other pictures.
    """
    path = folder / shard.name
    if not path.exists():
        with whole_file(path) as file, ThreadPool(THREADS) as pool:
            for start in range(0, len(pictures), READ_AHEAD):
                ahead = pictures[start : start + READ_AHEAD]
                for picture, content in zip(ahead, pool.map(_read, ahead), strict=True):
                    before, behind = _frame(picture)
                    file.write(before + content + behind)
            file.write(END)
            file.write(bytes(shard.bytes - file.tell()))
    elif not _holds(path, shard, pictures):
        raise InputError(
            f'shard {path}: contains other images than the dataset does now. Remove the old '
            'shards, use the same --shard-size as before, or choose another folder.'
        )


def _frame(picture: Picture) -> tuple[bytes, bytes]:
    """Return what lies before and behind a picture: headers, its label, and bytes that fill up.

    Picture and label are two members, in the order of their suffixes, as webdataset writes them.
    """
    key, suffix = os.path.splitext(picture.member)
    label = str(picture.label).encode()
    label = _header(f'{key}.cls', len(label)) + label.ljust(BLOCKSIZE, b'\0')
    header = _header(picture.member, picture.size)
    fill = bytes(-picture.size % BLOCKSIZE)
    return (header, fill + label) if suffix < '.cls' else (label + header, fill)


def _header(name: str, size: int) -> bytes:
    header = TarInfo(name)
    header.size, header.mode = size, 0o444
    header.uname = header.gname = 'bigdata'  # webdataset's
    return header.tobuf(PAX_FORMAT, 'utf-8', 'surrogateescape')  # has no limit for names


def _holds(path: Path, shard: Shard, pictures: Sequence[Picture]) -> bool:
    """Return whether a file has the size, the headers and the labels of a shard."""
    if not path.is_file() or path.stat().st_size != shard.bytes:
        return False
    with open(path, 'rb') as file:
        for picture, offset in zip(pictures, shard.offsets, strict=True):
            before, behind = _frame(picture)
            file.seek(offset - len(before))
            if file.read(len(before)) != before:
                return False
            file.seek(picture.size, os.SEEK_CUR)
            if file.read(len(behind)) != behind:
                return False
        return file.read(len(END)) == END


def _read(picture: Picture) -> bytes:
    """Read a file that begins as an image and has not changed."""
    with naming(picture.path, COPY):
        content, header = read_content(picture.path)
        if header is None:
            raise ValueError('not an image')
        if len(content) != picture.size:
            raise ValueError('its size changed while it was read')
        return content
