"""What training, testing and the smoke test share between reading a config and running it."""

from argparse import Namespace

import torch
from mmengine.config import Config

import vitbackbones

from ..config.lookup import OURS
from ..config.paths import PACKAGE
from ..openmmlab.applying import apply_patches
from ..openmmlab.patches import IN_RUN
from ..processes import process_rank
from ..training.cores import share_cores
from ..training.distributed import prepare_distributed

GUARDS = {
    'exact_resume': 'ExactResumeHook',
    'finite_loss': 'FiniteLossHook',
    'unreadable_images': 'UnreadableImagesHook',
}


def add_hook(config: Config, kind: str, **options) -> None:
    """Add a hook of this package unless the config has it (it may be a dump of an earlier run)."""
    kind = f'{OURS}.{kind}'
    others = [hook for hook in config.get('custom_hooks') or [] if hook.get('type') != kind]
    config.custom_hooks = [*others, {'type': kind, **options}]


def add_guards(config: Config) -> None:
    """Give a config of any origin the hooks that a long run should not be without.

    They are default hooks, which a config changes or takes out (``None``) by their names.
    """
    hooks = config.setdefault('default_hooks', {})
    for name, kind in GUARDS.items():
        hooks.setdefault(name, {'type': f'{OURS}.{kind}'})
    add_hook(config, 'InterruptHook')


def prepare_run(config: Config, options: Namespace) -> None:
    """Last changes to ``config``: safe checkpoints, progress, processes and threads."""
    apply_patches(IN_RUN)
    hooks = config.setdefault('default_hooks', {})
    checkpoint = hooks.setdefault('checkpoint', {'type': 'CheckpointHook', 'interval': 1})
    if checkpoint is not None and checkpoint['type'] == 'CheckpointHook':
        checkpoint['type'] = f'{OURS}.CheckpointHook'
    for kind in ('ProgressHook', 'DataWorkersHook', 'GatherHook', 'LogFolderHook'):
        add_hook(config, kind)
    prepare_distributed(config, options.launcher, options.local_rank)
    if not torch.cuda.is_available():
        share_cores(config)
    if process_rank() == 0:
        print(f'vitbackbones {vitbackbones.__version__} from {PACKAGE}')
        print(f'{config.filename} on {_device()}, work dir {config.work_dir}', flush=True)


def _device() -> str:
    if torch.cuda.is_available():
        return torch.cuda.get_device_name()
    return f'the CPU, torch threads: {torch.get_num_threads()}'
