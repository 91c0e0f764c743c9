"""torch's two file formats: a zip archive, and before torch 1.6 a row of pickles.

In both, a pickle describes the tensors and refers to the bytes of each by a key. The bytes are
copied into new memory, after their number was compared with what the pickle says of them.
"""

import io
import struct
import zlib
from argparse import Namespace
from collections.abc import Iterable
from itertools import chain, islice
from types import NoneType
from typing import Any, BinaryIO
from zipfile import ZIP_STORED, ZipFile, ZipInfo

import numpy as np
import torch
from torch import Tensor

from .allowed import EXPANDED, NAMES, Storage, history_class
from .pickles import COPIES, Maker, Refused, Unpickler

LEAVES = (NoneType, bool, int, float, str, bytes, Tensor, np.ndarray, np.generic)
LEAVES += (torch.dtype, torch.device)
DEEPEST = 100  # levels; real checkpoints have ten
MOST = 3_000_000  # entries; real checkpoints have thousands
OPERATIONS = 10_000_000  # of the pickles that say so
ZIP_START = b'PK\x03\x04'
LENGTHS = 26  # where a record's header says how long its last two parts are, name and extra field
LEGACY_START = (0x1950A86A20F9469CFC6C, 1001)  # magic number and version


def read_torch(file: BinaryIO) -> Any:
    """Read what ``torch.save`` wrote; tensors are in main memory and share what they shared.

    Raises:
        Refused: the file holds more than data.
        Exception: of any other kind, if it is another kind of file or a damaged one.
    """
    start = file.read(len(ZIP_START))
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    content = (_read_zip if start == ZIP_START else _read_legacy)(file, size)
    _require_plain(content, COPIES * max(size, 8 * EXPANDED))
    return content


# ------------------------------------------------------------------------ the two formats


def _read_zip(file: BinaryIO, size: int) -> Any:
    with ZipFile(file) as archive:
        records = {record.filename: record for record in archive.infolist()}
        if any(record.compress_type != ZIP_STORED for record in records.values()):
            raise Refused('compressed records, which torch does not write')
        if sum(record.file_size for record in records.values()) > size:
            raise Refused('more bytes than the file has')
        root = next(iter(records)).partition('/')[0]
        if f'{root}/byteorder' in records and archive.read(f'{root}/byteorder') != b'little':
            raise Refused('tensors in big-endian order')
        storages: dict[str, Storage] = {}

        def storage(reference: Any) -> Storage:
            key, dtype, length = _referred(reference)
            if key not in storages:
                record = records[f'{root}/data/{key}']
                if record.file_size != length:
                    raise ValueError('another number of bytes')
                storages[key] = Storage(_take_record(file, record), dtype)
            return _same(storages[key], dtype, length)

        reader = Unpickler(NAMES, storage, OPERATIONS)
        return reader.load(io.BytesIO(archive.read(f'{root}/data.pkl')))


def _read_legacy(file: BinaryIO, size: int) -> Any:
    storages: dict[str, Storage] = {}
    left = size

    def storage(reference: Any) -> Storage:
        nonlocal left
        key, dtype, length = _referred(reference)
        if key not in storages:
            left -= length
            if left < 0:
                raise Refused('more bytes than the file has')
            storages[key] = Storage(torch.empty(length, dtype=torch.uint8), dtype)
        return _same(storages[key], dtype, length)

    reader = Unpickler(NAMES, storage, OPERATIONS)
    start = reader.load(file), reader.load(file)
    if any(type(part) is not int for part in start) or start != LEGACY_START:
        raise ValueError('another format')
    reader.load(file)  # of the machine that wrote it
    content = reader.load(file)
    keys = reader.load(file)
    if {*keys} != {*storages}:
        raise ValueError('tensors without bytes')
    for key in keys:
        data = storages[key].data
        dtype = storages[key].dtype
        count = int.from_bytes(file.read(8), 'little')
        if count * dtype.itemsize != len(data):
            raise ValueError('another number of bytes')
        data.copy_(_take(file, len(data)))
    return content


def _read_inside(data: Any) -> Storage:
    """Read the bytes of a tensor from a file inside of a pickle that ``torch.save`` did not write.

    It is in the older format and holds nothing else.
    """
    if type(data) is not bytes:
        raise Refused('a tensor of an unknown kind')
    content = _read_legacy(io.BytesIO(data), len(data))
    if type(content) is not Storage:
        raise Refused('a tensor of an unknown kind')
    return content


# What a pickle may hold that Python wrote, such as dumped predictions.
PICKLED = NAMES | {'torch.storage._load_from_bytes': Maker(_read_inside)}


def _referred(reference: Any) -> tuple[str, torch.dtype, int]:
    """Return the key of a storage, the type of its elements and its length in bytes."""
    kind, dtype, key, _, count, *view = reference
    known = type(kind) is str and kind == 'storage' and not any(view)
    if not known or type(dtype) is not torch.dtype or type(key) is not str:
        raise Refused('a reference to something else than a tensor')
    if type(count) is not int or count < 0:
        raise Refused('a tensor with an impossible shape')
    return key, dtype, count * dtype.itemsize


def _same(storage: Storage, dtype: torch.dtype, length: int) -> Storage:
    if storage.dtype != dtype or len(storage.data) != length:
        raise Refused('one storage in two sizes or types')
    return storage


def _take_record(file: BinaryIO, record: ZipInfo) -> Tensor:
    """Read the bytes of a stored record at once, where ``zipfile`` copies them twice."""
    file.seek(record.header_offset + LENGTHS)
    file.seek(sum(struct.unpack('<HH', file.read(4))), io.SEEK_CUR)
    data = _take(file, record.file_size)
    if zlib.crc32(data.numpy()) != record.CRC:
        raise ValueError('damaged bytes')
    return data


def _take(file: BinaryIO, length: int) -> Tensor:
    data = torch.empty(length, dtype=torch.uint8)
    if file.readinto(data.numpy()) != length:
        raise ValueError('the file is cut short')
    return data


# ------------------------------------------------------------------------ what came of it


def _require_plain(content: Any, room: int) -> None:
    """Refuse whatever is not data, and lists that contain themselves or unfold without end.

    Args:
        content: of a file.
        room: bytes of all tensors, each as long as it would be if it were copied.
    """
    level = [content]
    left = MOST
    for _ in range(DEEPEST):
        parts = chain.from_iterable(map(_parts, level))
        level = list(islice(parts, left + 1))  # a list of one list n times over has n * n parts
        left -= len(level)
        if left < 0:
            break
        room -= sum(part.nbytes for part in level if isinstance(part, Tensor))
        if room < 0:
            raise Refused('the same numbers in many tensors')
    if level:
        raise Refused(f'lists of lists, more than {DEEPEST} levels or {MOST} entries')


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    if isinstance(value, Namespace):
        return vars(value).values()
    if isinstance(value, list | tuple | set):
        return value
    if not isinstance(value, LEAVES) and not isinstance(value, history_class()):
        raise Refused(f'a {type(value).__name__}')
    return ()
