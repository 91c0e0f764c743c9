"""A config whose model is to answer, and weights of it that come with the package."""

from argparse import Namespace
from pathlib import Path

from mmengine.config import Config

from ..configuration.names import config_name
from ..configuration.read import read_config
from ..configuration.steps import Step, take_steps
from ..errors import InputError
from ..tasks import TASKS, find_task
from ..weights.trained import trained_weights
from .common_steps import SETTINGS, first_steps


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
            f'{name}: no trained weights of it come with the package (of {", ".join(trained)} '
            f'they do). {otherwise}'
        )
    return trained[name]
