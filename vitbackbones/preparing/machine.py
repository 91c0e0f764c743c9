"""The last step before a runner is built: the run joins its machine and its other processes."""

from mmengine.config import Config

import vitbackbones

from ..configuration.names import PACKAGE
from ..openmmlab.applying import apply_patches
from ..openmmlab.patches import IN_RUN
from ..training.cores import limit_workers, share_cores
from ..training.distributed import best_device, device_name, join_processes, use_launcher
from ..utils.process_settings import keep_freed_memory
from ..utils.processes import process_rank
from .hooks import add_service_hooks


def join_machine(config: Config, launcher: str = 'none', local_rank: int = 0) -> Config:
    """Take the last steps, for whatever runs next: hooks, whole files, processes and cores.

    On a CPU, torch computes on the cores that load no data, and keeps freed memory. It is said what
    runs where.
    """
    config = add_service_hooks(config)
    apply_patches(IN_RUN)
    join_processes(launcher, local_rank)
    config = use_launcher(config, launcher)
    if best_device() == 'cpu':
        config = limit_workers(config)
        share_cores(config)
        keep_freed_memory()
    if process_rank() == 0:
        print(f'vitbackbones {vitbackbones.__version__} from {PACKAGE}')
        print(f'{config.filename} on {device_name()}, work dir {config.work_dir}', flush=True)
    return config
