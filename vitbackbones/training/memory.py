"""Data workers that the memory can hold.

The kernel ends a process of a run that takes too much, hours after its start. So one worker is
started before the first iteration, loads a few samples and reads from /proc how much of its memory
it shares with no other process. To that come the batches that it makes and keeps ready, by the size
of the samples. Larger images than those few are not measured, nor what the training process takes
later. So workers get a share of what is free.

The number of workers changes how fast a run is, and nothing else.
"""

import math
import pickle
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import torch
from torch import multiprocessing
from torch.utils.data import DataLoader, Dataset

from ..data.checks.findings import spread
from ..errors import InputError
from ..utils.processes import SIGNALS, processes_here

SAMPLES = 8  # that are loaded to measure
PATIENCE = 60  # seconds that this may take
SHARE = 0.8  # of the free memory that workers may take
OWN = Path('/proc/self/smaps_rollup')  # some containers do not have it


class Group(NamedTuple):
    """Where a version of Linux's control groups keeps the limit of a container or a job."""

    controller: str  # in /proc/self/cgroup
    folder: str
    limit: str
    used: str
    cache: str  # of ``used``, what the kernel gives back; in memory.stat


GROUPS = (
    Group('', 'sys/fs/cgroup', 'memory.max', 'memory.current', 'inactive_file'),
    Group(
        'memory',
        'sys/fs/cgroup/memory',
        'memory.limit_in_bytes',
        'memory.usage_in_bytes',
        'total_inactive_file',
    ),
)


def free_memory(root: Path = Path('/')) -> int | None:
    """Return how many bytes processes here may still take; None where the system does not say."""
    try:
        words = (root / 'proc/meminfo').read_text().split()
        groups = (root / 'proc/self/cgroup').read_text().splitlines()
    except OSError:  # not Linux
        return None
    least = 1024 * int(words[words.index('MemAvailable:') + 1])
    for line in groups:
        _, controllers, path = line.split(':', 2)
        for kind in GROUPS:
            if kind.controller not in controllers.split(','):
                continue
            top = root / kind.folder
            group = top / path.lstrip('/')
            for each in (group, *group.parents):  # a group is also held to the limits around it
                if each.is_relative_to(top):
                    least = min(least, _free_in_group(each, kind))
    return least


def _free_in_group(group: Path, kind: Group) -> float:
    try:
        limit = int((group / kind.limit).read_text())
        used = int((group / kind.used).read_text())
        lines = (group / 'memory.stat').read_text().splitlines()
    except (OSError, ValueError):  # of another container, or the limit is "max"
        return math.inf
    given_back = int(dict(line.split() for line in lines).get(kind.cache, 0))
    return max(limit - used + given_back, 0)  # a limit may be lowered to less than what is used


# ------------------------------------------------------------------------ workers


def worker_memory(loader: DataLoader) -> int:
    """Return about how many bytes a data worker of ``loader`` takes.

    Raises:
        InputError: it does not live long enough to be measured.
        TimeoutError: it has not loaded its samples after ``PATIENCE`` seconds.
    """
    context = loader.multiprocessing_context or multiprocessing.get_context()
    here, there = context.Pipe(duplex=False)
    worker = context.Process(target=_measure, args=(loader.dataset, loader.collate_fn, there))
    worker.start()
    try:
        there.close()
        if not here.poll(PATIENCE):
            raise TimeoutError
        own, sample = here.recv()
    except EOFError as error:
        worker.join()
        raise InputError(
            f'a data worker ended with code {worker.exitcode} while it loaded {SAMPLES} samples, '
            'most likely for want of memory: load without data workers (num_workers=0), or give '
            'the job more memory'
        ) from error
    finally:  # also after a signal: Python waits for its processes before it exits
        worker.kill()
        worker.join()
    batches = 1 + (loader.prefetch_factor or 0)
    return own + batches * loader.batch_sampler.batch_size * sample


def _measure(dataset: Dataset, collate, pipe) -> None:
    """Send how many bytes this process has of its own after loading, and how many a sample has."""
    torch.set_num_threads(1)  # a fork has none of the threads that computed before
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # the training process ends it
    samples, batch = [], b''
    for index in spread(len(dataset), SAMPLES):
        with suppress(Exception):  # the run will meet it, and say more of it
            samples.append(dataset[index])
    with suppress(Exception):
        batch = pickle.dumps(collate(samples))
    pipe.send((own_memory(), len(batch) // max(len(samples), 1)))


def own_memory() -> int:
    """Return how many bytes of memory this process shares with no other."""
    lines = OWN.read_text().splitlines()
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith('Private_'))


def fitting_workers(loaders: Sequence[DataLoader]) -> tuple[list[int], str]:
    """Return how many workers of each loader fit the memory, and a message if fewer or unknown."""
    wanted = [loader.num_workers for loader in loaders]
    free = free_memory()
    if free is None or not any(wanted) or not OWN.exists():
        return wanted, ''
    room = SHARE * free / processes_here()
    try:
        each = [worker_memory(loader) if loader.num_workers else 0 for loader in loaders]
    except TimeoutError:
        return wanted, (
            f'a data worker has not loaded {SAMPLES} samples after {PATIENCE} s: all '
            f'{sum(wanted)} (num_workers) are used, though the memory may not hold them'
        )
    needed = sum(count * size for count, size in zip(wanted, each, strict=True))
    if needed <= room:
        return wanted, ''
    fitting = [int(count * room / needed) for count in wanted]
    return fitting, (
        f'{sum(wanted)} data workers (num_workers) would take about {needed / 1e9:.1f} GB, more '
        f'than {SHARE:.0%} of the free memory, {room / 1e9:.1f} GB for this process: '
        f'{sum(fitting)} are used. Give the job more memory, or lower num_workers or batch_size.'
    )
