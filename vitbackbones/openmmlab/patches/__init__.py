"""Every patch of another package, in one table: what is wrong there, and what is done about it.

Data only. :mod:`~vitbackbones.openmmlab.applying` puts a patch in place, and
:mod:`~vitbackbones.openmmlab.after_import` does so as soon as the module that it concerns is
imported. ``docs/compatibility.md`` shows this table on the site.
"""

from .imports import IMPORTS, OTHER_TOOLBOXES
from .inference import INFERENCE
from .loading import LOADING, NAMED_CONFIGS, WIDTHS
from .runs import MESSAGES, RUNS

PARTS = {
    'What imports, and what is left out': IMPORTS,
    'What toolboxes import without need': OTHER_TOOLBOXES,
    'Messages': MESSAGES,
    'Configs by name': NAMED_CONFIGS,
    'Widths of models': WIDTHS,
    'Loading': LOADING,
    'Inference functions': INFERENCE,
    'Runs': RUNS,
}
PATCHES = tuple(patch for part in PARTS.values() for patch in part)
