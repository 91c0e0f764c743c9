"""CPU only: training and its data workers share the cores instead of fighting for them.

Torch starts a thread for every core of the machine, whatever part of it the process may use, and
each data worker wants one more; an oversubscribed run was 8 times slower. With a GPU the main
process mostly waits, and the config's number of workers stands.
"""

import copy
import os
import time
from pathlib import Path

import torch
from mmengine.config import Config

from ..configuration.data_paths import loaders
from ..utils.processes import processes_here

CGROUP_LIMIT = Path('/sys/fs/cgroup/cpu.max')
CORES_PER_WORKER = 4
STATISTICS = Path('/proc/stat')  # Linux


def available_cores(limit_file: Path = CGROUP_LIMIT) -> int:
    """Return how many cores this process may use, by its affinity and the container's quota."""
    affinity = getattr(os, 'sched_getaffinity', None)  # Linux only
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    try:
        quota, period = limit_file.read_text().split()
    except (OSError, ValueError):
        return cores
    return cores if quota == 'max' else max(1, min(cores, int(quota) // int(period)))


def limit_workers(config: Config) -> Config:
    """Return a copy of ``config`` in which at most one core in four loads data."""
    config = copy.deepcopy(config)
    most = available_cores() // processes_here() // CORES_PER_WORKER
    for _, loader in loaders(config):
        loader['num_workers'] = min(loader.get('num_workers', 0), most)
        if not loader['num_workers']:  # torch refuses these without workers
            loader.update(persistent_workers=False, prefetch_factor=None)
    return config


def share_cores(config: Config) -> None:
    """Let torch compute on all cores that the data workers of ``config`` leave.

    Threads that the user chose with ``OMP_NUM_THREADS`` are left alone.
    """
    workers = max((loader.get('num_workers', 0) for _, loader in loaders(config)), default=0)
    if 'OMP_NUM_THREADS' not in os.environ:
        torch.set_num_threads(max(1, available_cores() // processes_here() - workers))


def warn_of_others(file: Path = STATISTICS) -> list[str]:
    """Return a warning if other processes use the cores that torch is about to compute on.

    A thread that shares its core holds up all others: beside one busy process on two cores, one
    thread took 0.38 of the time that two took. A chosen number stays, and so does the default,
    because results depend on it in the last bits.
    """
    if 'OMP_NUM_THREADS' in os.environ or processes_here() > 1 or not file.exists():
        return []
    threads, cores = torch.get_num_threads(), len(os.sched_getaffinity(0))
    before = _ticks(file)
    time.sleep(0.2)
    busy, total = (now - then for now, then in zip(_ticks(file), before, strict=True))
    used = cores * busy / max(total, 1)
    if cores - used > threads - 0.5:
        return []
    free = max(1, round(cores - used))
    return [
        f'other processes use {used:.1f} of {cores} cores, and {threads} threads would wait for '
        f'them; OMP_NUM_THREADS={free} is faster while they run'
    ]


def _ticks(file: Path) -> tuple[int, int]:
    """Return for how long the cores of this process were busy, and on, since the system began."""
    cores = {f'cpu{number}' for number in os.sched_getaffinity(0)}
    busy = total = 0
    for line in file.read_text().splitlines():
        name, *times = line.split()
        if name in cores:
            # user, nice, system, idle, waiting for a disk, interrupts (2), stolen; guests in user
            ticks = [int(text) for text in times[:8]]
            total += sum(ticks)
            busy += sum(ticks) - ticks[3] - ticks[4]
    return busy, total
