"""Time and memory of functions, side by side in one run.

A single time says little on a shared machine. The functions to compare are therefore called in
turn, again and again, so that whatever else the machine does affects all of them; what counts
is the ratio of their medians.
"""

import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import torch
from torch.profiler import ProfilerActivity, profile

LEVEL = 'KINETO_LOG_LEVEL'
SILENT = '5'  # above the level of errors


def compare(
    functions: dict[str, Callable[[], object]],
    device: torch.device,
    repeats: int,
    warm_up: int = 1,
    approach: int = 0,
) -> Iterator[dict]:
    """Yield for each function a row of the table: its times, its memory, and its ``ratio``.

    The ratio is the median time in units of the first function's: below 1 is faster than that.
    ``approach`` is that of :func:`interleaved_seconds`.
    """
    seconds = interleaved_seconds(functions, device, repeats, warm_up, approach)
    first = statistics.median(next(iter(seconds.values())))
    for name, times in seconds.items():
        median = statistics.median(times)
        yield {
            'median_ms': round(1e3 * median, 3),
            'min_ms': round(1e3 * min(times), 3),
            'max_ms': round(1e3 * max(times), 3),
            'ratio': round(median / first, 3),
            'peak_MiB': round(peak_bytes(functions[name], device) / 2**20),
            'form': name,
        }


def interleaved_seconds(
    functions: dict[str, Callable[[], object]],
    device: torch.device,
    repeats: int = 10,
    warm_up: int = 1,
    approach: int = 0,
) -> dict[str, list[float]]:
    """Call every function in turn, ``repeats`` times round, after ``warm_up`` unmeasured rounds.

    With an ``approach`` each timed call comes after as many unmeasured ones of the same function.
    It then finds its weights in the cache, as a model that runs alone does, and the threads of the
    runtime before it, which spin for a while, asleep.

    Returns:
        For each name the seconds of its calls, in order.
    """
    for _ in range(warm_up):
        for function in functions.values():
            function()
    seconds = {name: [] for name in functions}
    for _ in range(repeats):
        for name, function in functions.items():
            for _ in range(approach):
                function()
            _wait(device)
            start = time.perf_counter()
            function()
            _wait(device)
            seconds[name].append(time.perf_counter() - start)
    return seconds


def _wait(device: torch.device) -> None:
    if device.type == 'cuda':
        torch.cuda.synchronize(device)


@contextmanager
def recording(activities: Sequence[ProfilerActivity], **options) -> Iterator[profile]:
    """Record what runs inside, as ``torch.profiler.profile``, without its lines on the console.

    A build for CUDA says that it finds no driver, and the profiler that it drops events.
    """
    given = os.environ.get(LEVEL)
    os.environ.setdefault(LEVEL, SILENT)
    try:
        with profile(activities=activities, acc_events=True, **options) as profiler:
            yield profiler
    finally:
        if given is None:
            del os.environ[LEVEL]


def peak_bytes(function: Callable[[], object], device: torch.device) -> int:
    """Return the most tensor memory in use at once during a call, above what was before it.

    CUDA: the caching allocator's ``max_memory_allocated``. CPU: the running sum of every
    allocation and release that torch's profiler records, so memory of other libraries and
    the allocator's own waste are not in it.
    """
    if device.type == 'cuda':
        _wait(device)
        before = torch.cuda.memory_allocated(device)
        torch.cuda.reset_peak_memory_stats(device)
        function()
        _wait(device)
        return torch.cuda.max_memory_allocated(device) - before
    with recording([ProfilerActivity.CPU], profile_memory=True) as profiler:
        function()
    events = profiler.profiler.kineto_results.events()
    events = sorted((e for e in events if e.name() == '[memory]'), key=lambda e: e.start_ns())
    in_use = peak = 0
    for event in events:
        in_use += event.nbytes()
        peak = max(peak, in_use)
    return peak
