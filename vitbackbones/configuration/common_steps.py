"""Steps from a config to a run that training, the smoke test and testing share, and their hooks."""

import copy
from argparse import Namespace
from collections.abc import Callable

from mmengine.config import Config

import vitbackbones

from ..openmmlab.applying import apply_patches
from ..openmmlab.missing_packages import leave_out_unused
from ..openmmlab.patches import IN_RUN
from ..openmmlab.widths import with_widths
from ..registry import SCOPE
from ..training.cores import limit_workers, share_cores
from ..training.distributed import best_device, device_name, join_processes, use_launcher
from ..utils.process_settings import keep_freed_memory
from ..utils.processes import process_rank, show_warnings
from .bands import use_bands
from .checks.agreement import require_agreement
from .checks.backbone import use_backbone
from .checks.data_sets import check_data
from .checks.trial import try_model
from .checks.work_dir import choose_work_dir
from .data_paths import locate_data
from .lint import lint
from .names import PACKAGE
from .read import require_sections, with_options
from .steps import Step

# ------------------------------------------------------------------------ hooks

GUARDS = {
    'exact_resume': 'ExactResumeHook',
    'finite_loss': 'FiniteLossHook',
    'unreadable_images': 'UnreadableImagesHook',
    'curves': 'CurvesHook',
    'coefficients': 'CoefficientsHook',
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
    """Return a copy of ``config`` with safe checkpoints, progress bars and what workers need."""
    config = add_hooks(config, 'ProgressHook', 'DataWorkersHook', 'GatherHook')
    hooks = config.default_hooks
    checkpoint = hooks.setdefault('checkpoint', {'type': 'CheckpointHook', 'interval': 1})
    if checkpoint is not None and checkpoint['type'] == 'CheckpointHook':
        checkpoint['type'] = f'{SCOPE}.CheckpointHook'
    return config


# ------------------------------------------------------------------------ steps


def use_cores(config: Config) -> None:
    """Let torch compute, on a CPU, on the cores that load no data, and keep freed memory."""
    if best_device() == 'cpu':
        share_cores(config)
        keep_freed_memory()


def announce(config: Config) -> None:
    """Print which package runs what, and where."""
    if process_rank() == 0:
        print(f'vitbackbones {vitbackbones.__version__} from {PACKAGE}')
        print(f'{config.filename} on {device_name()}, work dir {config.work_dir}', flush=True)


def first_steps(*sections: str) -> tuple[Step, ...]:
    """Return the steps that begin a run for which a config needs these sections."""
    return (
        Step(
            'backbone',
            "another one in the place of the config's (--backbone)",
            lambda config, options: use_backbone(config, options.cfg_options),
            needed=True,
        ),
        Step(
            'command line',
            'settings that are changed (--cfg-options)',
            lambda config, options: with_options(config, options.cfg_options),
            needed=True,
        ),
        Step(
            'toolboxes',
            'those that the config does not use are not imported',
            lambda config, options: leave_out_unused(config),
        ),
        Step(
            'sections',
            f'{", ".join(sections)} are there',
            lambda config, options: require_sections(config, *sections),
            needed=True,
        ),
    )


def own_data(find: Callable[[Config, Namespace], Config]) -> Step:
    """Return the step that finds out what a folder holds."""
    text = 'classes and files of a folder that the config does not describe (--data-root)'
    return Step('own data', text, find, needed=True)


def find_data(config: Config, options: Namespace, splits: tuple[str, ...]) -> Config:
    """Return a config with the places of its data, after a look into the files."""
    config = locate_data(config, options.data_root, splits)
    show_warnings(check_data(config, splits))
    return config


SETTINGS = (
    Step(
        'settings',
        'every key is known, and every value is one that its owner takes',
        lambda config, options: lint(config, options.cfg_options),
        needed=True,
    ),
    Step(
        'bands',
        'as many are loaded as the backbone takes, where these are not three',
        lambda config, options: use_bands(config),
    ),
    Step(
        'widths',
        'of neck and heads where the config leaves them out, from the maps of the backbone',
        lambda config, options: with_widths(config),
    ),
    Step('agreement', 'settings fit together', lambda config, options: require_agreement(config)),
)
WORK_DIR = Step(
    'work dir',
    'the one of the config, or work_dirs/<config name> (--work-dir)',
    lambda config, options: choose_work_dir(config, options.work_dir),
)
TRIAL = Step(
    'trial',
    'a model built without memory shows widths and names that do not fit',
    lambda config, options: try_model(config),
)
# The last ones, for whatever runs next.
MACHINE = (
    Step(
        'service hooks',
        'whole checkpoints, progress, data workers and processes that talk to each other',
        lambda config, options: add_service_hooks(config),
    ),
    Step(
        'files',
        'written whole or not at all',
        lambda config, options: apply_patches(IN_RUN),
        acts=True,
    ),
    Step(
        'process group',
        'this process joins the others (--launcher)',
        lambda config, options: join_processes(options.launcher, options.local_rank),
        acts=True,
    ),
    Step(
        'launcher',
        'how several processes share a model (--launcher)',
        lambda config, options: use_launcher(config, options.launcher),
    ),
    Step(
        'data workers',
        'on a CPU, no more than the cores allow',
        lambda config, options: limit_workers(config) if best_device() == 'cpu' else config,
    ),
    Step(
        'cores',
        'on a CPU, torch computes on those that load no data, and keeps freed memory',
        lambda config, options: use_cores(config),
        acts=True,
    ),
    Step('first lines', 'what runs where', lambda config, options: announce(config), acts=True),
)
