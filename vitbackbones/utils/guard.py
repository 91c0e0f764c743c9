"""Reading other people's configs: Python code that should only assign variables.

A guard ends what a config has no reason to do. It is no sandbox: code that wants to get out can.
"""

import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import InputError

# audit events of Python, by what they mean
REFUSED = {
    'socket.connect': 'opens a network connection',
    'socket.bind': 'opens a network port',
    'socket.getaddrinfo': 'looks up a network address',
    'subprocess.Popen': 'starts a program',
    'os.system': 'starts a program',
    'os.exec': 'starts a program',
    'os.posix_spawn': 'starts a program',
    'os.fork': 'starts a process',
    'os.remove': 'deletes a file',
    'os.rmdir': 'deletes a folder',
    'os.rename': 'moves a file',
    'os.mkdir': 'makes a folder',
    'os.symlink': 'makes a link',
    'os.link': 'makes a link',
    'os.chmod': 'changes a file',
    'os.truncate': 'changes a file',
}
PROGRAMS = ('subprocess.Popen', 'os.system', 'os.exec', 'os.posix_spawn', 'os.fork')
WRITING = 'wax+'  # letters of a mode


class _Guard:
    active = False
    installed = False


@contextmanager
def guarded(name: str, seconds: int) -> Iterator[None]:
    """Refuse writing, networks, other programs and endless loops while a config is read.

    mmengine copies a config to the folder for temporary files, which stays allowed.

    Args:
        name: of the config, for the message.
        seconds: that reading may take.

    Raises:
        InputError: the config does one of these.
    """
    if not _Guard.installed:
        sys.addaudithook(_check)
        _Guard.installed = True

    def late(signum, frame):
        raise RefusedByGuard(f'takes more than {seconds} seconds to read')

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    _Guard.active = True
    try:
        yield
    except RefusedByGuard as error:
        raise InputError(f'{name}: the config {error}, so it was not read further') from error
    finally:
        _Guard.active = False
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


class RefusedByGuard(BaseException):
    """Not an ``Exception``, which a config may catch."""


def _check(event: str, arguments: tuple) -> None:
    if not _Guard.active:
        return
    if event in PROGRAMS:  # wherever they are
        raise RefusedByGuard(REFUSED[event])
    places = [x for x in arguments if isinstance(x, str | bytes)]
    place = places[0] if places else ''
    place = place.decode(errors='replace') if isinstance(place, bytes) else place
    in_open_folder = event in ('os.remove', 'os.rmdir') and arguments[-1] != -1
    if place.startswith(tempfile.gettempdir()) or '__pycache__' in place or in_open_folder:
        return  # tempfile removes its folder through a descriptor
    if event in REFUSED:
        raise RefusedByGuard(REFUSED[event])
    if event == 'open' and isinstance(arguments[1], str) and {*arguments[1]} & {*WRITING}:
        raise RefusedByGuard(f'writes to {place}')
