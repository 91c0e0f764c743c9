"""The model of a config and its weights, checked before anything of it is built."""

import zlib
from argparse import Namespace
from functools import partial
from pathlib import Path

from mmengine.config import Config

from ..configuration.checks.explain import explained
from ..configuration.checks.own_data import take_classes_of
from ..configuration.common_steps import SETTINGS, first_steps
from ..configuration.names import config_name
from ..configuration.read import read_config
from ..configuration.steps import Step, take_steps
from ..errors import InputError
from ..tasks import TASKS, find_task
from ..training.cores import share_cores
from ..training.find_checkpoint import checkpoint_in, choose_checkpoint
from ..utils.process_settings import keep_freed_memory
from ..weights.trained import trained_weights
from .open import OpenModel
from .predictor import Predictor, choose_device
from .sources import SUFFIXES

ANSWERED_BY = ('default_scope', 'model', 'data_preprocessor', 'test_dataloader')  # of a config


def _require_task(config: Config, options: Namespace) -> None:
    if find_task(config) is None:
        raise InputError(f'{config.filename}: default_scope must be one of {", ".join(TASKS)}')


STEPS = (
    *first_steps('model', 'test_dataloader'),
    Step('task', 'the toolbox of the config is known', _require_task, needed=True),
    *SETTINGS,
)


def read_model_config(name: str, changes: dict, is_alone: bool = True) -> Config:
    """Return a config of a known task, checked; nothing of it is built.

    Args:
        name: of a config, or a file.
        changes: ``--cfg-options``.
        is_alone: whether no other model is built in this process, which could need packages that
            this one does not.

    Raises:
        InputError: something is wrong with the config.
    """
    steps = [step for step in STEPS if is_alone or step.name != 'toolboxes']
    return take_steps(read_config(name), steps, Namespace(cfg_options=changes))


def weights_along(config: Config, otherwise: str) -> Path:
    """Return the weights of a config that come with the package.

    Args:
        config: as it was read.
        otherwise: what to do where there are none, the end of the message.

    Raises:
        InputError: there are none.
    """
    name, trained = config_name(config.filename), trained_weights()
    if name not in trained:
        raise InputError(
            f'{name}: no trained weights come with the package, which has those of '
            f'{", ".join(trained)}. {otherwise}'
        )
    return trained[name]


def open_configured(options: Namespace) -> OpenModel:
    """Open a model that torch computes; see :func:`.open.open_model`."""
    config = read_model_config(options.config, options.cfg_options)
    device = choose_device(options.device)
    checkpoint, inputs = _find_weights(config, options)
    task = find_task(config)
    config = take_classes_of(config, checkpoint)
    share_cores(Config())  # nothing else wants them
    keep_freed_memory()

    def load() -> Predictor:
        how = options.amp, options.fused, options.compile
        with explained(config):
            return Predictor(config, checkpoint, device, *how)

    parts = repr([config.get(key) for key in ANSWERED_BY]).encode()
    settings = {
        'CONFIG': f'{Path(config.filename).name} ({zlib.crc32(parts):08x})',
        'CHECKPOINT': f'{checkpoint.name} ({_checksum(checkpoint):08x})',
        '--amp': options.amp,
        '--fused': options.fused,
        '--compile': options.compile,
    }
    return OpenModel(load, task.writer, settings, inputs)


def _find_weights(config: Config, options: Namespace) -> tuple[Path, list[str]]:
    """Return the checkpoint and the inputs; without one, weights that come with the package."""
    first, *others = options.checkpoint, *options.inputs
    come_along = config_name(config.filename) in trained_weights()
    if others and not _is_input(Path(first), come_along):
        return choose_checkpoint(first, 'CHECKPOINT'), others
    otherwise = (
        'Give CHECKPOINT before the inputs: the work dir of a training, a file, or the name of a '
        'published detector.'
    )
    return weights_along(config, otherwise), [first, *others]


def _is_input(path: Path, is_folder_possible: bool) -> bool:
    """Return whether a path before other inputs is one: a picture, a video or a folder of them."""
    if path.suffix.lower() in SUFFIXES:
        return True
    if not is_folder_possible or not path.is_dir() or checkpoint_in(path):
        return False
    return any(file.suffix.lower() in SUFFIXES for file in path.iterdir())


def _checksum(file: Path) -> int:
    # no mmap: Python crashes if the file is cut short
    value = 0
    with open(file, 'rb') as opened:
        for part in iter(partial(opened.read, 2**20), b''):
            value = zlib.crc32(part, value)
    return value
