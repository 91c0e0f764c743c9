"""How far wandb's own files of a run go.

Offline, wandb writes what it is given every few seconds, so that a killed run has logged more than
its file holds. A file is a log in LevelDB's format, of protocol buffers.
"""

import json
import struct
from collections.abc import Iterator
from pathlib import Path

BLOCK = 2**15  # bytes, of which no header crosses the end
FILE_HEADER, HEADER = 7, struct.Struct('<IHB')  # checksum, size, kind
WHOLE, LAST = 1, 4  # kinds of chunks with which a record ends


def last_step(work_dir: Path, run: str) -> int:
    """Return the last step that the offline files of a run hold, -1 if there is none."""
    files = work_dir.glob(f'wandb/offline-run-*-{run}/*.wandb')
    return max((step for file in files for step in _steps(file.read_bytes())), default=-1)


def _steps(content: bytes) -> Iterator[int]:
    from wandb.proto.wandb_internal_pb2 import Record  # of an optional package

    for record in _records(content):
        for item in Record.FromString(record).history.item:
            if '_step' in (item.key, *item.nested_key):
                yield json.loads(item.value_json)


def _records(content: bytes) -> Iterator[bytes]:
    """Yield the records of a file, without one that a kill cut short."""
    place, record = FILE_HEADER, b''
    while place + HEADER.size <= len(content):
        if BLOCK - place % BLOCK < HEADER.size:
            place += BLOCK - place % BLOCK
            continue
        _, size, kind = HEADER.unpack_from(content, place)
        place += HEADER.size
        if place + size > len(content):
            return
        record += content[place : place + size]
        place += size
        if kind in (WHOLE, LAST):
            yield record
            record = b''
