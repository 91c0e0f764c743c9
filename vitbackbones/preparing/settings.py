"""The settings of a run: those of the command line are applied, and all of them are checked."""

from collections.abc import Mapping
from typing import Any

from mmengine.config import Config

from ..configuration.bands import use_bands
from ..configuration.lint import lint
from ..configuration.read import require_sections, with_options
from ..configuration.variables import late_variables
from ..openmmlab.missing_packages import leave_out_unused
from ..openmmlab.widths import with_widths
from ..utils import started
from ..utils.messages import show_warnings
from .agreement import require_agreement
from .backbone import use_backbone


def use_options(config: Config, changes: Mapping[str, Any], *sections: str) -> Config:
    """Return a config with what ``--backbone`` and ``--cfg-options`` change in it.

    A command then imports no more of the toolbox than this config uses.

    Raises:
        InputError: one of the ``sections`` is missing, or an option does not fit.
    """
    config = with_options(use_backbone(config, changes), changes)
    if started.is_command():  # Python may build other models later, which need more packages
        leave_out_unused(config)
    require_sections(config, *sections)
    return config


def check_settings(config: Config, changes: Mapping[str, Any]) -> Config:
    """Check keys and values; fill in bands of pictures, and widths of neck and heads."""
    lint(config, changes)
    show_warnings(late_variables(config))
    config = with_widths(use_bands(config))
    require_agreement(config, classes_known=False)
    return config
