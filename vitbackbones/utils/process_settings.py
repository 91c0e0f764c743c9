"""What a process sets first: threads that wait sleep soon, freed memory is kept, output goes on.

After each part of a computation torch's threads wait for the last of them. GNU's OpenMP, which
torch brings along on Linux, lets them wait actively first: 300 000 turns of a loop, about 16 ms. If
another program has one of the cores, the thread that shares it is late at every part, while the
others burn theirs, so that the system sees no idle core to move it to. Beside one busy process a
training step of the demo took 11 to 16 times as long on two cores, 3.5 times with the number below.
On idle cores that number costs 5 percent; threads that sleep at once took 1.8 times as long there.

The GNU C library returns blocks of 32 MiB and more to the system when they are freed, and the free
end of its heap; the next step gets them page by page, each filled with zeros. Without these page
faults a training step of PVT-S on 8 images of 224 x 224 takes 0.80 of the time on two cores. A
process keeps what it needed at its peak.
"""

import ctypes
import os
import platform
import sys
from collections.abc import MutableMapping
from io import StringIO, TextIOWrapper

TURNS = '10000'
# how users choose for themselves; the library reads these when it is loaded, which is with torch
WAITING = ('GOMP_SPINCOUNT', 'OMP_WAIT_POLICY')


def sleep_soon(environment: MutableMapping[str, str]) -> None:
    """Set how long threads wait actively, unless ``environment`` does, before torch is imported."""
    if not any(name in environment for name in WAITING):
        environment['GOMP_SPINCOUNT'] = TURNS


def print_any_letter() -> None:
    """Let this process print names that its terminal cannot encode, with escapes in their place.

    Outside a UTF-8 locale, a class name or a path in another alphabet would end a command.
    """
    sys.stdout = sys.stdout or StringIO()  # None where it was closed
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors='backslashreplace')


# parameters of mallopt(3), and what they are set to, in bytes
TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
LIMITS = {MMAP_THRESHOLD: 2**30, TRIM_THRESHOLD: 2**31 - 1}
# how users set the same themselves
ALLOCATOR = ('MALLOC_', 'GLIBC_TUNABLES')


def keep_freed_memory() -> None:
    """Let this process keep freed memory.

    Nothing changes with another C library, or where the environment has settings of the allocator.
    """
    chosen = any(name.startswith(ALLOCATOR) for name in os.environ)
    if chosen or platform.libc_ver()[0] != 'glibc':
        return
    library = ctypes.CDLL(None)
    for parameter, size in LIMITS.items():
        library.mallopt(parameter, size)
