"""The settings of a run: those of the command line are applied, and all of them are checked."""

from collections.abc import Mapping
from typing import Any

from mmengine.config import Config

from ..configuration.bands import use_bands
from ..configuration.lint import lint
from ..configuration.read import with_options
from ..configuration.variables import late_variables
from ..openmmlab.widths import with_widths
from ..utils.processes import show_warnings
from .agreement import require_agreement
from .backbone import use_backbone


def use_options(config: Config, changes: Mapping[str, Any]) -> Config:
    """Return a config with what ``--backbone`` and ``--cfg-options`` change in it."""
    return with_options(use_backbone(config, changes), changes)


def check_settings(config: Config, changes: Mapping[str, Any]) -> Config:
    """Check keys and values; fill in bands of pictures, and widths of neck and heads."""
    lint(config, changes)
    show_warnings(late_variables(config))
    config = with_widths(use_bands(config))
    require_agreement(config, classes_known=False)
    return config
