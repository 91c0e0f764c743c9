"""The last step before a runner is built: the run joins its machine and its other processes."""

from mmengine.config import Config
from mmengine.device import get_device

import vitbackbones

from ..configuration.names import PACKAGE
from ..openmmlab.applying import apply_patches
from ..openmmlab.patches import IN_RUN
from ..training.cores import limit_workers, share_cores
from ..training.distributed import device_name, join_processes, use_launcher
from ..utils.process_settings import keep_freed_memory
from ..utils.processes import process_rank
from .hooks import add_service_hooks


def join_machine(
    config: Config, launcher: str = 'none', local_rank: int = 0, workers: int | None = None
) -> Config:
    """Take the last steps, for whatever runs next: hooks, whole files, processes and cores.

    On a CPU, torch computes on the cores that load no data, and keeps freed memory. It is said what
    runs where.

    Args:
        config: of the run.
        launcher, local_rank: of its processes.
        workers: processes that load data; None for those of the config, on a CPU for fewer.
    """
    config = add_service_hooks(config)
    apply_patches(IN_RUN)
    join_processes(launcher, local_rank)
    config = use_launcher(config, launcher)
    is_cpu = get_device() == 'cpu'
    if workers is not None or is_cpu:
        config = limit_workers(config, workers)
    if is_cpu:
        share_cores(config)
        keep_freed_memory()
    if process_rank() == 0:
        print(f'vitbackbones {vitbackbones.__version__} from {PACKAGE}')
        print(f'{config.filename} on {device_name()}, work dir {config.work_dir}', flush=True)
    return config
