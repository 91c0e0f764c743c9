"""Keep the memory of freed tensors, in place of returning it to the system.

The GNU C library returns blocks of 32 MiB and more to the system when they are freed, and the free
end of its heap. The next step asks for them again, and the system hands them out page by page, each
filled with zeros: 173 000 page faults in a training step of PVT-S on 8 images of 224 x 224. Without
them the step takes 0.80 of the time on two cores. A process keeps what it needed at its peak.
"""

import ctypes
import os
import platform

# parameters of mallopt(3), and what they are set to, in bytes
TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
LIMITS = {MMAP_THRESHOLD: 2**30, TRIM_THRESHOLD: 2**31 - 1}
# how users set the same themselves
SETTINGS = ('MALLOC_', 'GLIBC_TUNABLES')


def keep_freed_memory() -> None:
    """Let this process keep freed memory.

    Nothing changes with another C library, or where the environment has settings of the allocator.
    """
    chosen = any(name.startswith(SETTINGS) for name in os.environ)
    if chosen or platform.libc_ver()[0] != 'glibc':
        return
    library = ctypes.CDLL(None)
    for parameter, size in LIMITS.items():
        library.mallopt(parameter, size)
