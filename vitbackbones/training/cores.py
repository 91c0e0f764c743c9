"""On a CPU, share the cores between training and its data workers.

Torch starts a thread for every core of the machine, whatever part of it the process may use, and
each data worker wants one more; an oversubscribed run was 8 times slower. With a GPU the main
process mostly waits, and the config's number of workers stands.
"""

import copy
import os
from pathlib import Path

import torch
from mmengine.config import Config

from ..configuration.data_paths import loaders
from ..utils.processes import processes_here

CGROUP_LIMIT = Path('/sys/fs/cgroup/cpu.max')
CORES_PER_WORKER = 4


def available_cores(limit_file: Path = CGROUP_LIMIT) -> int:
    """Return how many cores this process may use, by its affinity and the container's quota."""
    affinity = getattr(os, 'sched_getaffinity', None)  # Linux only
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    try:
        quota, period = limit_file.read_text().split()
    except (OSError, ValueError):
        return cores
    return cores if quota == 'max' else max(1, min(cores, int(quota) // int(period)))


def limit_workers(config: Config, workers: int | None = None) -> Config:
    """Return a copy of ``config`` in which ``workers`` processes load data.

    None are those of the config, but at most one for four cores.
    """
    config = copy.deepcopy(config)
    most = available_cores() // processes_here() // CORES_PER_WORKER
    for _, loader in loaders(config):
        limited = min(loader.get('num_workers', 0), most)
        loader['num_workers'] = limited if workers is None else workers
        if not loader['num_workers']:  # torch refuses these without workers
            loader.update(persistent_workers=False, prefetch_factor=None)
            if loader.get('timeout'):
                loader['timeout'] = 0
    return config


def share_cores(config: Config) -> None:
    """Let torch compute on all cores that the data workers of ``config`` leave.

    Threads that the user chose with ``OMP_NUM_THREADS`` are left alone.
    """
    workers = max((loader.get('num_workers', 0) for _, loader in loaders(config)), default=0)
    if 'OMP_NUM_THREADS' not in os.environ:
        torch.set_num_threads(max(1, available_cores() // processes_here() - workers))
