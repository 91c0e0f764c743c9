"""A config whose model is to answer, and weights of it that come with the package."""

from pathlib import Path

from mmengine.config import Config

from ..catalog import config_name
from ..configuration.lint import lint
from ..configuration.read import read_config, require_sections
from ..errors import InputError
from ..openmmlab.unused_toolboxes import leave_out_unused
from ..preflight.agreement import require_agreement
from ..tasks import TASKS, find_task
from ..trained import trained_weights


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
    config = read_config(name, changes)
    if is_alone:
        leave_out_unused(config)
    require_sections(config, 'model', 'test_dataloader')
    if find_task(config) is None:
        raise InputError(f'{config.filename}: default_scope must be one of {", ".join(TASKS)}')
    lint(config, changes)
    require_agreement(config)
    return config


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
