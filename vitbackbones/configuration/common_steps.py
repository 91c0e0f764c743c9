"""Steps from a config to a run that training, the smoke test and testing share."""

from argparse import Namespace
from collections.abc import Callable

from mmengine.config import Config

import vitbackbones

from ..openmmlab.applying import apply_patches
from ..openmmlab.missing_packages import leave_out_unused
from ..openmmlab.patches import IN_RUN
from ..openmmlab.widths import with_widths
from ..training.cores import limit_workers, share_cores
from ..training.distributed import best_device, device_name, join_processes, use_launcher
from ..utils.process_settings import keep_freed_memory
from ..utils.processes import process_rank, show_warnings
from .checks.added_hooks import add_service_hooks
from .checks.agreement import require_agreement
from .checks.data_sets import check_data
from .checks.trial import try_model
from .data_paths import locate_data
from .lint import lint
from .names import PACKAGE
from .read import require_sections, with_options
from .steps import Step


def _on_gpu() -> bool:
    return best_device() != 'cpu'


def announce(config: Config) -> None:
    """Print which package runs what, and where."""
    if process_rank() == 0:
        print(f'vitbackbones {vitbackbones.__version__} from {PACKAGE}')
        print(f'{config.filename} on {device_name()}, work dir {config.work_dir}', flush=True)


def first_steps(*sections: str) -> tuple[Step, ...]:
    """Return the steps that begin a run for which a config needs these sections."""
    return (
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
        'widths',
        'of neck and heads where the config leaves them out, from the maps of the backbone',
        lambda config, options: with_widths(config),
    ),
    Step(
        'agreement',
        'settings fit together',
        lambda config, options: require_agreement(config),
    ),
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
        lambda config, options: config if _on_gpu() else limit_workers(config),
    ),
    Step(
        'cores',
        'on a CPU, torch computes on those that load no data',
        lambda config, options: None if _on_gpu() else share_cores(config),
        acts=True,
    ),
    Step(
        'memory',
        'on a CPU, what tensors give back is kept for the next step',
        lambda config, options: None if _on_gpu() else keep_freed_memory(),
        acts=True,
    ),
    Step('first lines', 'what runs where', lambda config, options: announce(config), acts=True),
)
