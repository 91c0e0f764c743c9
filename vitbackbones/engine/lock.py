"""One process at a time writes to a folder of results.

The kernel holds the lock and releases it when the process ends, whatever ended it, so nothing
stale remains after a kill. The file ``.lock`` stays: another process may be about to lock it. It
says who took the lock last.
"""

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from ..errors import InputError

FILE = '.lock'


@contextmanager
def folder_lock(folder: Path, role: str) -> Iterator[None]:
    """Keep other processes that use this lock out of an existing folder while the block runs.

    Several processes of one run share a folder: only the one that writes there takes the lock.
    Some network file systems cannot lock; there nobody is kept out.

    Args:
        folder: may be on a network file system, whose locks hold on all of its hosts.
        role: the option that names the folder.

    Raises:
        InputError: another process has the lock; the message begins with ``role`` and names the
            process and its host.
    """
    with _open(folder / FILE, role) as file:
        _lock(file, f'{role} {folder}')
        file.truncate(0)
        print(f'process {os.getpid()} on {socket.gethostname()}', file=file, flush=True)
        yield


def _open(path: Path, role: str) -> TextIO:
    """Open the file without emptying it, and no other file that a link of its name leads to."""
    try:
        return open(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666), 'r+')
    except OSError as error:
        raise InputError(
            f'{role}: {path} cannot be opened ({error.strerror}); remove it, or choose another '
            'folder'
        ) from error


def _lock(file, place: str) -> None:
    try:
        # not flock: data workers would inherit it, and outlive a killed run by seconds
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        file.seek(0)
        holder = file.read().strip() or 'another process'
        raise InputError(
            f'{place}: {holder} is writing there. Wait until it ends, or choose another folder.'
        ) from error
    except OSError:  # a file system without locks
        return
