"""torch's profiler without the lines that it writes about itself on the console.

One, of Kineto's in C++, says that a build for CUDA finds no driver; the other, that events are
dropped after a cycle, of which there is only one here.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from torch.profiler import ProfilerActivity, profile

LEVEL = 'KINETO_LOG_LEVEL'
SILENT = '5'  # above the level of errors


@contextmanager
def recording(activities: Sequence[ProfilerActivity], **options) -> Iterator[profile]:
    """Record what runs inside; as ``torch.profiler.profile``, whose arguments it takes."""
    given = os.environ.get(LEVEL)
    os.environ.setdefault(LEVEL, SILENT)
    try:
        with profile(activities=activities, acc_events=True, **options) as profiler:
            yield profiler
    finally:
        if given is None:
            del os.environ[LEVEL]
