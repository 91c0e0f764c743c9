"""Runs with several processes, with or without GPUs.

mmengine starts distributed training on GPUs only: it sets the CUDA device of the process without
asking whether there is one. On CPUs the process group is made here before the runner looks.
"""

import copy
import os
import re

import torch
from mmengine.config import Config
from mmengine.device import get_device
from torch import distributed

from ..configuration.settings import type_at
from ..errors import InputError
from ..openmmlab.runs import set_kind_of_device
from ..utils.messages import in_one_line

LONGEST = 160  # characters of a message of torch
DEVICE = re.compile(r'cpu|mps|(cuda|xpu)(:\d{1,3})?')
best_device = get_device  # its name in 1.0


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


def choose_device(name: str | None) -> torch.device:
    """Return the device with this name; by default a GPU if there is one.

    Raises:
        InputError: there is no such device.
    """
    if name and not DEVICE.fullmatch(name):
        raise InputError(f'--device {name}: must be cpu, cuda, cuda:1 (another GPU) or mps (Apple)')
    try:
        device = torch.device(name or get_device())
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise InputError(f'--device {name}: {in_one_line(error, LONGEST)}') from error
    return device


def use_device(name: str | None, launcher: str = 'none') -> None:
    """Let all that follows in this process run on a device; by default on a GPU if there is one.

    All of OpenMMLab asks ``mmengine.device.get_device`` for its kind, which is a constant of that
    module, and means the current one of several GPUs.

    Raises:
        InputError: there is no such device, or a launcher gives each process one.
    """
    if name is None:
        return
    if launcher != 'none':
        raise InputError(f'--device: --launcher {launcher} chooses the devices; remove one of them')
    device = choose_device(name)
    set_kind_of_device(device.type)
    if device.type == 'cuda' and device.index is not None:
        torch.cuda.set_device(device)


def device_name() -> str:
    """Return the name of the device of a run, for its first lines."""
    device = get_device()
    if device == 'cuda':
        return torch.cuda.get_device_name()
    if device == 'mps':
        return "Apple's GPU"
    return f'the CPU, torch threads: {torch.get_num_threads()}'
