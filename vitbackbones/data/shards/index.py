"""The index of a dataset in tar shards: which bytes of which shard are a picture, and its label.

It is JSON, and all that a run knows of a shard: no tar file is searched, and other members do not
matter. It may come from somewhere else, so what it says is compared with the shards.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from ...errors import InputError
from ...utils.files import read_json, write_file
from ...utils.messages import cut, in_one_line

FORMAT = 'vitbackbones shards 1'
SCHEME = 'shard://'  # of the address of a picture, see shards.py
LARGEST_INDEX = 2**30  # bytes; that of ImageNet has 71 MB
AGAIN = 'Copy it again, or write shards and index again ("vitbackbones shards FOLDER OUT").'


@dataclass(frozen=True)
class Shard:
    """One tar file; its pictures in the order in which they lie there."""

    name: str  # of the file, in the folder of the index
    bytes: int  # its size
    members: list[str]  # the name of each picture
    offsets: list[int]  # where the bytes of each picture begin in the file
    sizes: list[int]  # how many bytes these are
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
        InputError: there is no index, it is damaged, a label has no class, or a shard is missing
            or of another size.
    """
    file = index_file(folder, split)
    try:
        content = read_json(file, LARGEST_INDEX)
        classes, shards = content['classes'], content['shards']
        if content['format'] != FORMAT or not shards:
            raise ValueError(f'its format is not {FORMAT!r}')
        index = Index(classes, [Shard(**shard) for shard in shards])
        # where a picture lies is looked at when it is read: a header with its name is before it
        for shard in index.shards:
            path = Path(folder, shard.name)
            if path.name != shard.name or path.suffix != '.tar':
                raise ValueError(f'{cut(shard.name)} is not the name of a tar file')
            try:
                size = path.stat().st_size
            except OSError as error:
                raise ValueError(f'shard {path}: {error.strerror}') from error
            if size != shard.bytes:
                what = 'cut short' if size < shard.bytes else 'changed'
                raise ValueError(f'shard {path}: {what}, {size} bytes instead of {shard.bytes}')
            if not {*shard.labels} <= {*range(len(classes))}:
                raise ValueError(f'labels in {shard.name} are not from 0 to {len(classes) - 1}')
    except (ValueError, LookupError, TypeError, OverflowError) as error:
        reason = in_one_line(error).removeprefix(f'{file} ')
        raise InputError(f'index of shards {file}: {reason}. {AGAIN}') from error
    return index
