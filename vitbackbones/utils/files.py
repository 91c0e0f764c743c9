"""Files that are complete or absent, in folders that one process at a time writes to."""

import csv
import errno
import fcntl
import json
import os
import shutil
import socket
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any, BinaryIO

from ..errors import InputError

PART = '.part'  # the end of the name of a file that is being written
ROOM = 2**20  # bytes, for what a run writes before its first checkpoint: its config and log
LONGEST = 143  # bytes of a name, which every file system takes; most take 255
LOCK = '.lock'
BEGINNING = 2**20  # bytes, by which a file is recognized
SMALL = 2**24  # bytes of a file that is read whole
POINTER = b'version https://git-lfs'  # how what git clones in place of a large file begins
NOT_FETCHED = 'is a Git LFS pointer, not the file itself. Run "git lfs pull" to fetch it'


@contextmanager
def whole_file(path: str | Path) -> Iterator[BinaryIO]:
    """Yield a file to write; it gets its name when the block ends, and vanishes if that fails.

    Raises:
        InputError: the disk is full or the folder cannot be written to.
    """
    path = Path(path)
    part = path.with_name(_part_name(path.name))
    try:
        part.parent.mkdir(parents=True, exist_ok=True)
        with open(part, 'wb') as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
        entries = os.open(part.parent, os.O_RDONLY)
        with suppress(OSError):  # not every network file system does this for folders
            os.fsync(entries)  # the new name, too: a power failure could take it back
        os.close(entries)
    except OSError as error:
        with suppress(OSError):  # there is no such folder
            part.unlink()
        raise InputError(
            f'{path} cannot be written ({error.strerror}). What was saved there before is unchanged'
        ) from error
    except BaseException:  # Ctrl-C as well
        part.unlink(missing_ok=True)
        raise


def _part_name(name: str) -> str:
    """Return the name of a file while this process writes it; no other writer has it."""
    end = f'.{socket.gethostname()}.{os.getpid()}{PART}'
    is_long = len(os.fsencode(name + end)) > LONGEST  # though the name itself may be allowed
    return f'{sha256(os.fsencode(name)).hexdigest() if is_long else name}{end}'


def regular_file(path: str | Path, flags: int) -> int:
    """Open a file, as ``opener`` of ``open``, unless it is a folder, a pipe or a device.

    Nothing is waited for: opening a pipe that nobody writes to would never end.

    Raises:
        OSError: it is one of these, or cannot be opened.
    """
    descriptor = os.open(path, flags | os.O_NONBLOCK, 0o666)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, 'not a regular file', str(path))
    return descriptor


def read_small(path: str | Path, most: int = SMALL) -> bytes:
    """Return the content of a file that others may have written, of at most ``most`` bytes.

    Raises:
        InputError: it is missing, is a folder, a pipe or a device, has more bytes, or cannot be
            read.
    """
    try:
        with open(path, 'rb', opener=regular_file) as file:
            size = os.fstat(file.fileno()).st_size
            if size > most:
                raise InputError(f'{path} cannot be read: it is larger than {most} bytes')
            content = file.read(size)
    except OSError as error:
        raise InputError(f'{path} cannot be read ({error.strerror})') from error
    if content.startswith(POINTER):
        raise InputError(f'{path} {NOT_FETCHED}')
    return content


def beginning(file: Path) -> bytes:
    """Return the first part of a file without zeros, which UTF-16 has behind each letter.

    Raises:
        InputError: it cannot be read.
    """
    try:
        with open(file, 'rb', opener=regular_file) as content:
            return content.read(BEGINNING).replace(b'\0', b'')
    except OSError as error:
        raise InputError(f'{file} cannot be read ({error.strerror})') from error


def stays_inside(file: Path, folder: Path) -> bool:
    """Return whether a file lies in a folder, wherever links on the way lead."""
    return file.resolve().is_relative_to(folder.resolve())


def read_json(path: str | Path, most: int = SMALL) -> Any:
    """Return what a file of JSON holds, which others may have written.

    Raises:
        InputError: as of :func:`read_small`, or it is not JSON.
    """
    content = read_small(path, most)
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InputError(f'{path} is not JSON ({error})') from error


def as_csv(rows: Sequence[Mapping]) -> bytes:
    """Return the content of a CSV file; the columns are the keys of the first row."""
    text = StringIO()
    writer = csv.DictWriter(text, rows[0].keys(), lineterminator='\n')
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def write_file(path: str | Path, content: bytes | memoryview) -> None:
    """Write a file that has either the old or the new content; see :func:`whole_file`."""
    with whole_file(path) as file:
        file.write(content)


def write_if_changed(path: Path, content: bytes) -> None:
    """Write a file as :func:`write_file` does, unless it is there and the same."""
    if not path.is_file() or path.read_bytes() != content:
        write_file(path, content)


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
            f'{role} {folder}: cannot be written to ({error.strerror}). Choose another folder'
        ) from error
    return folder


def require_apart(out: Path, role: str, root: Path, around: bool = True) -> None:
    """Refuse a folder to write that is in a folder to read, or with ``around`` holds it.

    Raises:
        InputError: it is; ``role``, the option that names the folder, is in the message.
    """
    one, other = root.resolve(), out.resolve()
    if not other.is_relative_to(one) and not (around and one.is_relative_to(other)):
        return
    where = f'neither inside {root} nor around it' if around else f'outside of {root}'
    beside = root.parent / f'{root.name}_{"imported" if around else "out"}'
    raise InputError(f'{out}: {role} must be {where}. Choose a folder next to it, such as {beside}')


@contextmanager
def whole_folder(path: Path, role: str) -> Iterator[Path]:
    """Yield a folder to fill; it gets its name when the block ends, and vanishes if that fails.

    What had the name before is moved away then, and not earlier. One process at a time writes the
    folder; what a killed one has left, in ``PATH.part``, is put right by the next.

    Args:
        path: the folder.
        role: the option that names it.

    Raises:
        InputError: another process is writing it, the disk is full, or it cannot be written to.
    """
    workshop = Path(f'{path}{PART}')
    try:
        workshop.mkdir(parents=True, exist_ok=True)
        with folder_lock(workshop, role):
            made, before = workshop / 'made', workshop / 'before'
            try:
                _put_back(before, path)
                shutil.rmtree(made, ignore_errors=True)
                made.mkdir()
                yield made
                if os.path.lexists(path):
                    os.rename(path, before)
                os.rename(made, path)
            finally:
                _put_back(before, path)
                shutil.rmtree(workshop, ignore_errors=True)
    except OSError as error:
        raise InputError(
            f'{path} cannot be written ({error.strerror}). What was there before is unchanged'
        ) from error


def _put_back(before: Path, path: Path) -> None:
    """Give a folder that was moved away its name back, unless its successor has come."""
    if os.path.lexists(before) and not os.path.lexists(path):
        os.rename(before, path)
    elif before.is_symlink():
        before.unlink()
    else:
        shutil.rmtree(before, ignore_errors=True)


# ------------------------------------------------------------------------ locks
# The kernel holds a lock and releases it when the process ends, whatever ended it, so nothing stale
# remains after a kill. The file ``.lock`` stays: another process may be about to lock it. It says
# who took the lock last.


@contextmanager
def folder_lock(folder: Path, role: str) -> Iterator[None]:
    """Keep other processes that use this lock out of an existing folder while the block runs.

    Of several processes that share a folder, only the one that writes there takes the lock. Some
    network file systems cannot lock; there nobody is kept out.

    Args:
        folder: may be on a network file system, whose locks hold on all of its hosts.
        role: the option that names the folder.

    Raises:
        InputError: another process has the lock; the message begins with ``role`` and names the
            process and its host.
    """
    path = folder / LOCK
    try:  # without emptying it, and no other file that a link of its name leads to
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
    except OSError as error:
        raise InputError(
            f'{role}: {path} cannot be opened ({error.strerror}). Remove it, or choose another '
            'folder'
        ) from error
    with open(descriptor, 'r+') as file:
        try:
            # not flock: data workers would inherit it, and outlive a killed run by seconds
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = file.read().strip() or 'another process'
            raise InputError(
                f'{role} {folder}: {holder} is writing there. Wait until it ends, or choose '
                'another folder.'
            ) from error
        except OSError:  # a file system without locks
            pass
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
