"""Steps from a config to a run that training, the smoke test and testing share, and their hooks.

Each gets a config and changes none: it returns a changed copy, or checks and returns nothing.
"""

import copy
from argparse import Namespace

from mmengine.config import Config

import vitbackbones

from ..configuration.bands import use_bands
from ..configuration.data_paths import locate_data
from ..configuration.lint import lint
from ..configuration.names import PACKAGE
from ..configuration.read import with_options
from ..configuration.variables import late_variables
from ..openmmlab.applying import apply_patches
from ..openmmlab.patches import IN_RUN
from ..openmmlab.widths import with_widths
from ..registry import SCOPE
from ..training.cores import limit_workers, share_cores
from ..training.distributed import best_device, device_name, join_processes, use_launcher
from ..utils.process_settings import keep_freed_memory
from ..utils.processes import process_rank, show_warnings
from .agreement import require_agreement
from .backbone import use_backbone
from .data_sets import check_data
from .images import shared_files

# ------------------------------------------------------------------------ hooks

GUARDS = {
    'exact_resume': 'ExactResumeHook',
    'finite_loss': 'FiniteLossHook',
    'unreadable_images': 'UnreadableImagesHook',
    'curves': 'CurvesHook',
}


def add_hooks(config: Config, *kinds: str, **options) -> Config:
    """Return a copy of ``config`` with custom hooks of these types, each with ``options``.

    Those that it has, as the dump of an earlier run does, are replaced.
    """
    config = copy.deepcopy(config)
    added = [{'type': f'{SCOPE}.{kind}', **options} for kind in kinds]
    types = [hook['type'] for hook in added]
    others = [hook for hook in config.get('custom_hooks') or [] if hook.get('type') not in types]
    config.custom_hooks = others + added
    if 'default_hooks' not in config:
        config.default_hooks = {}
    return config


def add_guards(config: Config) -> Config:
    """Return a copy of ``config`` with the hooks that a long run should not be without.

    They are default hooks, which a config changes or takes out (``None``) by their names.
    """
    config = add_hooks(config, 'InterruptHook')
    for name, kind in GUARDS.items():
        config.default_hooks.setdefault(name, {'type': f'{SCOPE}.{kind}'})
    return config


def add_service_hooks(config: Config) -> Config:
    """Return a copy of ``config`` with safe checkpoints and what workers need."""
    config = add_hooks(config, 'DataWorkersHook', 'GatherHook')
    hooks = config.default_hooks
    checkpoint = hooks.setdefault('checkpoint', {'type': 'CheckpointHook', 'interval': 1})
    if checkpoint is not None and checkpoint['type'] == 'CheckpointHook':
        checkpoint['type'] = f'{SCOPE}.CheckpointHook'
    return config


# ------------------------------------------------------------------------ steps


def use_options(config: Config, changes: dict) -> Config:
    """Return a config with what ``--backbone`` and ``--cfg-options`` change in it."""
    return with_options(use_backbone(config, changes), changes)


def check_settings(config: Config, changes: dict) -> Config:
    """Check keys and values; fill in bands of pictures, and widths of neck and heads."""
    lint(config, changes)
    show_warnings(late_variables(config))
    config = with_widths(use_bands(config))
    require_agreement(config, classes_known=False)
    return config


def find_data(config: Config, options: Namespace, splits: tuple[str, ...]) -> Config:
    """Return a config with the places of its data, after a look into the files."""
    config = locate_data(config, options.data_root, splits)
    show_warnings([*check_data(config, splits), *shared_files(config)])
    return config


def join_machine(config: Config, options: Namespace) -> Config:
    """Take the last steps, for whatever runs next: hooks, whole files, processes and cores.

    On a CPU, torch computes on the cores that load no data, and keeps freed memory. It is said what
    runs where.
    """
    config = add_service_hooks(config)
    apply_patches(IN_RUN)
    join_processes(options.launcher, options.local_rank)
    config = use_launcher(config, options.launcher)
    if best_device() == 'cpu':
        config = limit_workers(config)
        share_cores(config)
        keep_freed_memory()
    if process_rank() == 0:
        print(f'vitbackbones {vitbackbones.__version__} from {PACKAGE}')
        print(f'{config.filename} on {device_name()}, work dir {config.work_dir}', flush=True)
    return config
