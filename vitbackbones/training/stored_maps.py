"""Cached feature maps of a frozen backbone in a folder, read as memory-mapped files.

``maps`` holds entries of numbers in half precision. A row of ``index`` follows each entry, so that
one is whole or not there, whatever killed its writer. Processes that share a folder write in turn.
What cannot be written or read is not there: it costs time alone.
"""

import fcntl
import os
import shutil
import zlib
from contextlib import suppress
from pathlib import Path

import numpy as np

from ..utils.files import LOCK

View = tuple[int, int, int, int]  # picture, draw of it, height and width with padding
ROW = np.dtype([('view', np.int64, 4), ('start', np.int64), ('size', np.int64), ('crc', np.int64)])


class StoredMaps:
    """Cached feature maps by image, augmented view and padded size.

    Args:
        folder: where they are, beside those of other keys.
        most: bytes that they may take.
    """

    def __init__(self, folder: Path, most: int) -> None:
        self.folder = folder
        self.most = most
        self.rows: dict[View, np.void] = {}
        self.draws: set[tuple[int, int]] = set()  # pictures and draws, of whatever size
        self.read = self.end = 0  # rows of the index, and numbers of the entries
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            os.utime(folder)

    def refresh(self) -> None:
        """Read the rows that were written since."""
        with suppress(OSError):
            if (self.folder / 'index').stat().st_size // ROW.itemsize > self.read:
                for row in np.fromfile(self.folder / 'index', ROW, offset=self.read * ROW.itemsize):
                    view = tuple(row['view'].tolist())
                    self.rows[view] = row
                    self.draws.add(view[:2])
                    self.read += 1
                    self.end = int(row['start'] + row['size'])

    def find(self, view: View) -> np.ndarray | None:
        """Return the numbers of an entry, float16; None if it is not there, or damaged."""
        if view not in self.rows:
            self.refresh()
        row = self.rows.get(view)
        with suppress(OSError, ValueError):  # others may have removed or cut it
            if row is not None:
                place = {'offset': 2 * int(row['start']), 'shape': (int(row['size']),)}
                found = np.memmap(self.folder / 'maps', np.float16, 'r', **place)
                return found if zlib.crc32(found) == row['crc'] else None
        return None

    def add(self, view: View, numbers: np.ndarray) -> None:
        """Store the numbers of an entry, float16, if there is room and nobody else did."""
        with suppress(OSError), open(self.folder / LOCK, 'a') as lock:
            fcntl.lockf(lock, fcntl.LOCK_EX)
            self.refresh()
            if self.find(view) is None and 2 * (self.end + numbers.size) <= self.most:
                row = (view, self.end, numbers.size, zlib.crc32(numbers))
                # over what a killed process has left behind the last whole entry
                self._write('maps', 2 * self.end, numbers)
                self._write('index', self.read * ROW.itemsize, np.array([row], ROW))
                self.refresh()

    def _write(self, name: str, place: int, values: np.ndarray) -> None:
        with open(os.open(self.folder / name, os.O_RDWR | os.O_CREAT, 0o666), 'r+b') as file:
            file.seek(place)
            file.write(values.tobytes())

    def make_room(self, needed: int) -> None:
        """Remove what was not used longest, where all folders together need more than the bound."""
        with suppress(OSError):
            others = [each for each in self.folder.parent.iterdir() if each != self.folder]
            for each in sorted(others, key=lambda each: each.stat().st_mtime, reverse=True):
                needed += sum(file.stat().st_size for file in each.iterdir())
                if needed > self.most:
                    shutil.rmtree(each)
