"""Every patch of another package, in one table: what is wrong there, and what is done about it.

Data only. :mod:`~vitbackbones.openmmlab.applying` puts a patch in place, and
:mod:`~vitbackbones.openmmlab.after_import` does so as soon as the module that it concerns is
imported. ``docs/compatibility.md`` shows this table on the site, whose parts have a file each.
"""

from .imports import IMPORTS, OTHER_TOOLBOXES
from .inference import INFERENCE
from .output import MESSAGES
from .patch import (
    AFTER_IMPORT,
    ALL,
    IF_MISSING,
    IF_UNUSED,
    IN_RUN,
    IN_SCRIPT,
    IN_TRAINING,
    IN_WORKER,
    ONEDL,
    Patch,
)
from .reading import LOADING, NAMED_CONFIGS, WIDTHS
from .runs import RUNS, SCRIPTS

__all__ = [
    'AFTER_IMPORT',
    'ALL',
    'IF_MISSING',
    'IF_UNUSED',
    'IMPORTS',
    'INFERENCE',
    'IN_RUN',
    'IN_SCRIPT',
    'IN_TRAINING',
    'IN_WORKER',
    'LOADING',
    'MESSAGES',
    'NAMED_CONFIGS',
    'ONEDL',
    'OTHER_TOOLBOXES',
    'PATCHES',
    'RUNS',
    'SCRIPTS',
    'WIDTHS',
    'Patch',
]

PATCHES = (
    *(*IMPORTS, *OTHER_TOOLBOXES, *MESSAGES, *NAMED_CONFIGS, *WIDTHS),
    *(*LOADING, *INFERENCE, *RUNS, *SCRIPTS),
)
