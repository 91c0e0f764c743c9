"""The index of a data set in tar shards: which bytes of which shard are a picture, and its label.

Shards are plain tar files as webdataset writes them. Members whose names agree up to the first dot
are one sample: the picture ``n01440764/10026.JPEG`` and its label as a number,
``n01440764/10026.cls`` (or ``.json`` with a key ``label``). With the index beside them, a picture
is read with one system call, and no tar file is searched.

The index is JSON, made of the headers of the tar files. No member is unpacked to the disk, and of
members other than pictures and labels not one byte is read: webdataset's own decoders unpickle
``.pyd`` and ``.pth``, which runs code.
"""

import json
import re
import tarfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from tarfile import TarFile, TarInfo

from ..errors import InputError
from ..files import write_file
from ..messages import cut, in_one_line, some
from ..packages import import_optional
from ..verbs import command_line
from .checks.findings import IMAGES

FORMAT = 'vitbackbones shards 1'
SUFFIX = '.index.json'
NAMELESS = 'shards'  # the name of an index of shards that are numbered only
LONGEST_LABEL = 2**20  # bytes
META = re.compile('__[^/]*__($|/)')  # members that webdataset passes over
SCHEME = 'shard://'  # of the address of a picture, see shards.py
END = bytes(2 * tarfile.BLOCKSIZE)  # behind the last member
AGAIN = 'Copy the shard again, or write it again (shards --help).'


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


def index_file(folder: str | Path, shards: str) -> Path:
    """Return the file of the index for the name of a split or a pattern of shards.

    >>> index_file('data', 'train-{000000..000146}.tar').name
    'train.index.json'
    >>> index_file('data', 'train').name
    'train.index.json'
    >>> index_file('data', '{00000..00146}.tar').name
    'shards.index.json'
    """
    name = re.sub(r'[-_.]?([{*].*|\d+\.tar)$|\.tar$', '', shards) or NAMELESS
    return Path(folder, f'{name}{SUFFIX}')


def index_command(file: Path) -> str:
    """Return the command that writes an index of shards that are there."""
    name = file.name.removesuffix(SUFFIX)
    pattern = '*.tar' if name == NAMELESS else f'{name}*.tar'
    return command_line('shards', file.parent / pattern)


def expand(pattern: str) -> list[str]:
    """Return the names that a pattern such as ``train-{000000..000146}.tar`` stands for.

    Raises:
        InputError: a brace is not closed, or braceexpand is not installed.
    """
    braces = import_optional('braceexpand', 'braceexpand')
    try:
        return list(braces.braceexpand(pattern))
    except braces.UnbalancedBracesError as error:
        raise InputError(f'{pattern}: a brace is not closed, or not opened.') from error


# ------------------------------------------------------------------------ tar files


def scan(path: Path) -> Shard:
    """Read the headers of a shard, and the labels.

    Raises:
        InputError: it is not a plain tar file, is cut short, has a picture without a label, a
            label without a picture or two members of one name; names the shard and the member.
    """
    try:
        with tarfile.open(path, 'r:') as tar:
            pairs = list(_pairs(path, tar))
    except InputError:
        raise
    except (tarfile.TarError, OSError, ValueError, RecursionError) as error:
        reason = getattr(error, 'strerror', None) or error
        raise InputError(f'shard {path}: {reason}. {AGAIN}') from error
    if not pairs:
        raise InputError(f'shard {path}: holds no picture ({", ".join(IMAGES)}). Leave it out.')
    return Shard(
        path.name,
        path.stat().st_size,
        [picture.name for picture, _ in pairs],
        [picture.offset_data for picture, _ in pairs],
        [picture.size for picture, _ in pairs],
        [label for _, label in pairs],
    )


def _pairs(path: Path, tar: TarFile) -> Iterator[tuple[TarInfo, int]]:
    """Yield every picture with its label."""
    for key, members in _samples(path, tar).items():
        pictures = [name for name in members if f'.{name}' in IMAGES]
        labeled = 'cls' in members or 'json' in members
        if len(pictures) > 1:
            raise _fault(path, key, f'has several pictures ({", ".join(pictures)}). Leave one.')
        if pictures and not labeled:
            raise _fault(path, key, 'is a picture without a label (.cls or .json). Add one.')
        if labeled and not pictures:
            suffixes = ', '.join(IMAGES)
            raise _fault(path, key, f'is a label without a picture ({suffixes}). Add one.')
        if pictures:
            yield members[pictures[0]], _label(path, tar, members)


def _samples(path: Path, tar: TarFile) -> dict[str, dict[str, TarInfo]]:
    """Return the members of each sample by their suffixes, as webdataset groups them."""
    samples: dict[str, dict[str, TarInfo]] = {}
    for member in _members(tar):
        folder, slash, file = member.name.rpartition('/')
        stem, _, suffix = file.partition('.')
        sample = samples.setdefault(f'{folder}{slash}{stem}', {})
        if suffix.lower() in sample:
            raise _fault(path, member.name, 'is there twice. Leave one.')
        sample[suffix.lower()] = member
    return samples


def _members(tar: TarFile) -> Iterator[TarInfo]:
    """Yield the regular files of a tar file that is whole.

    Python's reader takes whatever is no header, such as the end of a file that was cut between two
    members, for the end of the archive.
    """
    for member in tar:
        if member.size < 0 or SCHEME in member.name:
            raise tarfile.ReadError(f'the header of {cut(member.name)} is damaged')
        if member.type in tarfile.REGULAR_TYPES and not META.match(member.name):
            yield member
    tar.fileobj.seek(tar.offset)
    if tar.fileobj.read(len(END)) != END:
        raise tarfile.ReadError(f'cut short or damaged, no member follows byte {tar.offset}')


def _label(path: Path, tar: TarFile, members: dict[str, TarInfo]) -> int:
    """Return the label of a sample, from ``.cls`` where there are both."""
    member = members.get('cls') or members['json']
    text = tar.extractfile(member).read(LONGEST_LABEL)
    try:
        label = int(text) if 'cls' in members else json.loads(text)['label']
        if type(label) is int and label >= 0:
            return label
    except (ValueError, LookupError, TypeError, RecursionError):
        pass
    wanted = 'a number from 0' if 'cls' in members else 'JSON with a number from 0 as label'
    raise _fault(path, member.name, f'holds {cut(text[:50])}, not {wanted}. Correct it.')


def _fault(path: Path, member: str, what: str) -> InputError:
    return InputError(f'shard {path}: {cut(member)} {what}')


# ------------------------------------------------------------------------ index files


def write_index(file: Path, index: Index) -> None:
    """Write an index; the file is either the old or the new one, never a part of it.

    Raises:
        InputError: a label has no class, or the file cannot be written.
    """
    require_classes(file, index)
    write_file(file, json.dumps({'format': FORMAT, **asdict(index)}).encode())


def read_index(folder: str | Path, shards: str) -> Index:
    """Read the index of a split, and leave out the shards that a pattern does not name.

    Raises:
        InputError: there is no index, it is damaged, a label has no class, or it does not have a
            shard of the pattern.
    """
    file = index_file(folder, shards)
    try:
        content = json.loads(file.read_bytes())
        index = Index(content['classes'], [Shard(**shard) for shard in content['shards']])
        _require_sound(content, index)
    except OSError as error:
        raise InputError(
            f'{file}: no index of shards ({error.strerror}). Write it with {index_command(file)}.'
        ) from error
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise InputError(
            f'{file}: damaged ({in_one_line(error)}). Write it again with {index_command(file)}.'
        ) from error
    require_classes(file, index)
    return index if not shards.endswith('.tar') else _chosen(file, index, shards)


def _require_sound(content: dict, index: Index) -> None:
    """Check that an index holds what its classes say, and that pictures lie inside of shards.

    Raises:
        ValueError: it does not.
    """
    if content['format'] != FORMAT or {*map(type, index.classes)} != {str} or not index.shards:
        raise ValueError(f'not of the format {FORMAT!r}')
    for shard in index.shards:
        columns = (shard.members, shard.offsets, shard.sizes, shard.labels)
        kinds = [{*map(type, column)} for column in columns]
        if kinds != [{str}, {int}, {int}, {int}] or len({*map(len, columns)}) > 1:
            raise ValueError(f'columns of {cut(shard.name)} are no lists of one length')
        if Path(shard.name).name != shard.name or not shard.name.endswith('.tar'):
            raise ValueError(f'{cut(shard.name)} is not the name of a tar file')
        last = max(map(sum, zip(shard.offsets, shard.sizes, strict=True)))
        if min(shard.offsets) < tarfile.BLOCKSIZE or min(shard.sizes) < 0 or last > shard.bytes:
            raise ValueError(f'a picture lies outside of {shard.name}')


def require_classes(file: Path, index: Index) -> None:
    """Check that every label has a class.

    Raises:
        InputError: one has none; names ``file``, the shard and the member.
    """
    for shard in index.shards:
        for member, label in zip(shard.members, shard.labels, strict=True):
            if not 0 <= label < len(index.classes):
                raise InputError(
                    f'{file}: the label {label} of {cut(member)} in {shard.name} has no class, '
                    f'there are {len(index.classes)}, numbered from 0. Correct the label, or name '
                    'all classes.'
                )


def _chosen(file: Path, index: Index, pattern: str) -> Index:
    known = {shard.name: shard for shard in index.shards}
    names = expand(pattern)
    if missing := [name for name in names if name not in known]:
        raise InputError(f'{pattern}: {file} has no {some(missing)}; it has {some(known)}.')
    return Index(index.classes, [known[name] for name in names])


def size_fault(folder: str | Path, shard: Shard) -> str:
    """Return what is wrong with a shard by its size, '' if nothing; one system call."""
    path = Path(folder, shard.name)
    try:
        found = path.stat().st_size
    except OSError as error:
        return f'shard {path}: {error.strerror}. {AGAIN}'
    if found != shard.bytes:
        what = 'cut short' if found < shard.bytes else 'changed'
        return f'shard {path}: {what}, {found} bytes in place of {shard.bytes}. {AGAIN}'
    return ''
