"""The index of a data set in tar shards: which bytes of which shard are a picture, and its label.

It is JSON, and all that a run knows of a shard: no tar file is searched, and other members do not
matter. It may come from somewhere else, so what it says is compared with the shards.
"""

import json
import os
import stat
from dataclasses import asdict, dataclass
from pathlib import Path
from tarfile import BLOCKSIZE

import numpy as np

from ...errors import InputError
from ...utils.files import read_json, write_file
from ...utils.messages import cut, in_one_line

FORMAT = 'vitbackbones shards 1'
SCHEME = 'shard://'  # of the address of a picture, see shards.py
LARGEST_INDEX = 2**30  # bytes; that of ImageNet has 71 MB
COLUMNS = {'members': str, 'offsets': int, 'sizes': int, 'labels': int}
AGAIN = 'Copy it again, or write shards and index again ("vitbackbones shards FOLDER OUT").'


@dataclass(frozen=True)
class Shard:
    """One tar file; its pictures in the order in which they lie there.

    Attributes:
        name: of the file, in the folder of the index.
        bytes: its size.
        members: the name of each picture.
        offsets: where the bytes of each picture begin in the file.
        sizes: how many bytes these are.
        labels: of each picture.
    """

    name: str
    bytes: int
    members: list[str]
    offsets: list[int]
    sizes: list[int]
    labels: list[int]


@dataclass(frozen=True)
class Index:
    """The shards of one split, and the names of its classes in the order of their labels."""

    classes: list[str]
    shards: list[Shard]


def index_file(folder: str | Path, split: str) -> Path:
    """Return the file of the index of a split, such as ``train.index.json``."""
    return Path(folder, f'{split}.index.json')


def write_index(file: Path, index: Index) -> None:
    """Write an index, all or nothing; an ``InputError`` says why it cannot be written."""
    write_file(file, json.dumps({'format': FORMAT, **asdict(index)}).encode())


def read_index(folder: str | Path, split: str) -> Index:
    """Read the index of a split, and compare it with the sizes of the shards.

    Raises:
        InputError: there is no index, it is damaged, a label has no class, a picture lies
            outside of a shard, or a shard is missing or of another size.
    """
    file = index_file(folder, split)
    try:
        content = read_json(file, LARGEST_INDEX)
        classes, shards = content['classes'], content['shards']
        if content['format'] != FORMAT or not shards:
            raise ValueError(f'it is not of the format {FORMAT!r}')
        _require_list(classes, str, len(classes), 'classes')
        index = Index(classes, [Shard(**shard) for shard in shards])
        for shard in index.shards:
            _require_sound(Path(folder, shard.name), shard, len(classes))
    except (ValueError, LookupError, TypeError, OverflowError) as error:
        reason = in_one_line(error).removeprefix(f'{file} ')
        raise InputError(f'index of shards {file}: {reason}. {AGAIN}') from error
    return index


def _require_sound(path: Path, shard: Shard, classes: int) -> None:
    """Raise a ``ValueError`` if a shard is not there, or cannot be as an index says."""
    if path.name != shard.name or path.suffix != '.tar':
        raise ValueError(f'{cut(shard.name)} is not the name of a tar file')
    try:
        found = path.stat()
    except OSError as error:
        raise ValueError(f'shard {path}: {error.strerror}') from error
    if not stat.S_ISREG(found.st_mode):
        raise ValueError(f'shard {path}: not a regular file')
    if found.st_size != shard.bytes:
        what = 'cut short' if found.st_size < shard.bytes else 'changed'
        raise ValueError(f'shard {path}: {what}, {found.st_size} bytes in place of {shard.bytes}')
    for name, kind in COLUMNS.items():
        _require_list(getattr(shard, name), kind, len(shard.members), f'{name} of {shard.name}')
    for member in shard.members:
        os.fsencode(member)  # raises ValueError for what no file system can name
    labels = np.array(shard.labels, np.int64)  # (pictures,), as the others
    if labels.min() < 0 or labels.max() >= classes:
        raise ValueError(f'labels in {shard.name} are not from 0 to {classes - 1}')
    starts, sizes = np.array([shard.offsets, shard.sizes], np.int64)
    ends_outside = (starts > shard.bytes - sizes).any()
    if starts.min() < BLOCKSIZE or sizes.min() < 0 or ends_outside:
        raise ValueError(f'a picture lies outside of {shard.name}')


def _require_list(values: object, kind: type, length: int, what: str) -> None:
    if type(values) is not list or len(values) != length or {*map(type, values)} != {kind}:
        raise ValueError(f'{what} is not a list of {length} {kind.__name__}')
