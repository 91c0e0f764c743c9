"""Files that are complete or absent, in folders that one process at a time writes to."""

import errno
import fcntl
import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TextIO

from .errors import InputError

PART = '.part'  # the end of the name of a file that is being written
ROOM = 2**20  # bytes, for what a run writes before its first checkpoint: its config and log
LOCK = '.lock'


@contextmanager
def whole_file(path: str | Path) -> Iterator[BinaryIO]:
    """Yield a file to write; it gets its name when the block ends, and vanishes if that fails.

    Raises:
        InputError: the disk is full or the folder cannot be written to.
    """
    part = Path(f'{path}.{socket.gethostname()}.{os.getpid()}{PART}')  # of no other writer
    try:
        part.parent.mkdir(parents=True, exist_ok=True)
        with open(part, 'wb') as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
        _flush_names(part.parent)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise InputError(
            f'{path} cannot be written ({error.strerror}); what was saved there before is unharmed'
        ) from error
    except Exception:
        part.unlink(missing_ok=True)
        raise


def own_file(path: str | Path, flags: int) -> int:
    """Open a file, as ``opener`` of ``open``, and no other file that a link of its name leads to.

    Raises:
        OSError: the name is a link, or the file has other names.
    """
    descriptor = os.open(path, flags & ~os.O_TRUNC | os.O_NOFOLLOW, 0o666)
    if os.fstat(descriptor).st_nlink > 1:
        os.close(descriptor)
        raise OSError(errno.EMLINK, 'the file has other names', str(path))
    if flags & os.O_TRUNC:
        os.truncate(descriptor, 0)
    return descriptor


def write_file(path: str | Path, content: bytes) -> None:
    """Write a file that has either the old or the new content, never a part of it.

    Raises:
        InputError: the disk is full or the folder cannot be written to.
    """
    with whole_file(path) as file:
        file.write(content)


def write_if_changed(path: Path, content: bytes) -> None:
    """Write a file as :func:`write_file` does, unless it is there and the same.

    Raises:
        InputError: the disk is full or the folder cannot be written to.
    """
    if not path.is_file() or path.read_bytes() != content:
        write_file(path, content)


def _flush_names(folder: Path) -> None:
    """Bring a new name to the disk too: a power failure could take it back."""
    entries = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # not every network file system does this for folders
            os.fsync(entries)
    finally:
        os.close(entries)


def remove_parts(folder: Path) -> None:
    """Remove what killed runs were writing to ``folder``; nobody else may be writing there."""
    for part in folder.glob(f'*{PART}'):
        part.unlink()


def prepare_folder(path: str | Path, role: str) -> Path:
    """Create a folder and check that files can be written to it.

    Raises:
        InputError: they cannot; ``role``, the option that names the folder, begins the message.
    """
    folder = Path(path).expanduser().absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(ROOM))
    except OSError as error:
        raise InputError(
            f'{role} {folder}: cannot be written to ({error.strerror}); choose another folder'
        ) from error
    return folder


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Yield a folder to fill; it gets its name when the block ends, and vanishes if that fails.

    What had the name before is removed then, and not earlier.

    Raises:
        InputError: the disk is full or the folder cannot be written to.
    """
    part = Path(f'{path}.{socket.gethostname()}.{os.getpid()}{PART}')
    try:
        part.mkdir(parents=True)
        yield part
        _take_place(part, path)
    except OSError as error:
        raise InputError(
            f'{path} cannot be written ({error.strerror}); what was there before is unharmed'
        ) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _take_place(part: Path, path: Path) -> None:
    """Give a folder its name, and remove what had the name once that is done."""
    before = part.with_suffix('.before')
    if path.exists():
        os.rename(path, before)
    try:
        os.rename(part, path)
    except OSError:
        if before.exists():
            os.rename(before, path)
        raise
    if before.is_symlink():
        before.unlink()
    shutil.rmtree(before, ignore_errors=True)


# ------------------------------------------------------------------------ locks
# The kernel holds a lock and releases it when the process ends, whatever ended it, so nothing stale
# remains after a kill. The file ``.lock`` stays: another process may be about to lock it. It says
# who took the lock last.


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
    with _open(folder / LOCK, role) as file:
        _lock(file, f'{role} {folder}')
        file.truncate(0)
        print(f'process {os.getpid()} on {socket.gethostname()}', file=file, flush=True)
        yield


def is_abandoned(folder: Path) -> bool:
    """Return whether a folder was locked by a process that has ended since."""
    try:
        with open(folder / LOCK, 'r+') as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # it is in use, was never locked, or the file system has no locks
        return False
    return True


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
