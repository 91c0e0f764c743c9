"""Time and memory of functions, side by side in one run.

A lone time says little on a shared machine. The functions to compare are therefore called in
turn, again and again, so that whatever else the machine does meets all of them; what counts
is the ratio of their medians.
"""

import time
from collections.abc import Callable

import torch
from torch.profiler import ProfilerActivity, profile


def interleaved_seconds(
    functions: dict[str, Callable[[], object]], device: torch.device, repeats: int = 10
) -> dict[str, list[float]]:
    """Calls every function in turn, ``repeats`` times round, after one unmeasured round.

    Returns:
        For each name the seconds of its calls, in order.
    """
    for function in functions.values():
        function()
    seconds = {name: [] for name in functions}
    for _ in range(repeats):
        for name, function in functions.items():
            seconds[name].append(_seconds(function, device))
    return seconds


def _seconds(function: Callable[[], object], device: torch.device) -> float:
    _wait(device)
    start = time.perf_counter()
    function()
    _wait(device)
    return time.perf_counter() - start


def _wait(device: torch.device) -> None:
    if device.type == 'cuda':
        torch.cuda.synchronize(device)


def peak_bytes(function: Callable[[], object], device: torch.device) -> int:
    """Most tensor memory in use at once during a call, above what was in use before it.

    CUDA: the caching allocator's ``max_memory_allocated``. CPU: the running sum of every
    allocation and release that torch's profiler records, so memory of other libraries and
    the allocator's own waste are not in it.
    """
    if device.type == 'cuda':
        return _peak_bytes_cuda(function, device)
    return _peak_bytes_cpu(function)


def _peak_bytes_cuda(function: Callable[[], object], device: torch.device) -> int:
    _wait(device)
    before = torch.cuda.memory_allocated(device)
    torch.cuda.reset_peak_memory_stats(device)
    function()
    _wait(device)
    return torch.cuda.max_memory_allocated(device) - before


def _peak_bytes_cpu(function: Callable[[], object]) -> int:
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        function()
    events = profiler.profiler.kineto_results.events()
    events = sorted((e for e in events if e.name() == '[memory]'), key=lambda e: e.start_ns())
    in_use = peak = 0
    for event in events:
        in_use += event.nbytes()
        peak = max(peak, in_use)
    return peak
