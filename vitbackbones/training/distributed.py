"""Runs with several processes, with or without GPUs.

mmengine starts distributed training on GPUs only: it sets the CUDA device of the process without
asking whether there is one. On CPUs the process group is made here before the runner looks.
"""

import copy
import os

import torch
from mmengine.config import Config
from torch import distributed

from ..configuration.settings import type_at
from ..errors import InputError


def lost_a_process(error: RuntimeError) -> bool:
    """Return whether ``error`` means that another process of the run has ended."""
    gone = ('Connection closed by peer', 'Connection reset by peer', 'Broken pipe')
    return isinstance(error, distributed.DistError) or any(text in str(error) for text in gone)


def join_processes(launcher: str, local_rank: int = 0) -> None:
    """Make this process one of those that ``launcher`` started: none, pytorch (torchrun), slurm.

    Raises:
        InputError: the process was started by another launcher, or by Slurm without GPUs.
    """
    if launcher == 'none':
        if (number := int(os.environ.get('WORLD_SIZE') or 1)) > 1:  # each would train alone
            raise InputError(f'this is one of {number} processes; add --launcher pytorch')
        return
    if launcher == 'pytorch':  # Slurm has a name of its own for it
        os.environ.setdefault('LOCAL_RANK', str(local_rank))
    needed = 'RANK' if launcher == 'pytorch' else 'SLURM_PROCID'
    if needed not in os.environ:
        script = 'tools/dist_train.sh' if launcher == 'pytorch' else 'tools/slurm_train.sh'
        raise InputError(f'--launcher {launcher}: {needed} is not set; start the run with {script}')
    if torch.cuda.is_available():
        return
    if launcher == 'slurm':
        raise InputError('--launcher slurm: no GPU found; on CPUs use tools/dist_train.sh')
    distributed.init_process_group('gloo')


def use_launcher(config: Config, launcher: str) -> Config:
    """Return a copy of ``config`` for a run that ``launcher`` starts.

    On CPUs models are wrapped without a device: mmengine's wrappers put them on the GPU with the
    number of the process. Unused parameters are looked for, as DDP then never rearranges its
    buckets; that would change how sums of three or more processes are rounded after a resume.
    """
    config = copy.deepcopy(config)
    config.launcher = launcher
    if launcher != 'none':
        config.setdefault('find_unused_parameters', True)
    if launcher == 'none' or torch.cuda.is_available():
        return config
    config.sync_bn = None  # SyncBatchNorm knows GPUs only
    if type_at(config.get('model')) == 'RTMDet':  # which makes them by itself
        config.model.use_syncbn = False
    config.model_wrapper_cfg = {
        'type': 'MMDistributedDataParallel',
        'device_ids': None,
        'broadcast_buffers': False,
        'find_unused_parameters': config.find_unused_parameters,
    }
    return config


def best_device() -> str:
    """Return 'cuda' if there is such a GPU, otherwise 'mps' (Apple), otherwise 'cpu'."""
    if torch.cuda.is_available():
        return 'cuda'
    return 'mps' if torch.backends.mps.is_available() else 'cpu'


def device_name() -> str:
    """Return the name of the device of a run, for its first lines."""
    device = best_device()
    if device == 'cuda':
        return torch.cuda.get_device_name()
    if device == 'mps':
        return "Apple's GPU"
    return f'the CPU, torch threads: {torch.get_num_threads()}'
