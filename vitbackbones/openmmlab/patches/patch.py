"""One row of the table of patches, and the moments at which patches are put in place."""

from dataclasses import dataclass

AFTER_IMPORT = 'always'
IF_MISSING = 'if the module is not installed'
IN_RUN = 'in runs of the tools'
IF_UNUSED = 'in runs of the tools whose config does not need it'
IN_WORKER = 'in data workers'
IN_TRAINING = 'in training'

ALL = 'all'
ONEDL = 'onedl'


@dataclass(frozen=True)
class Patch:
    """One attribute of another package that is replaced, or whose value is changed in place.

    Attributes:
        target: ``'module:name'``, ``'module:Class.name'``, or a module that gets a stand-in.
        wrong: what happens without the patch.
        done: what happens with it.
        fix: ``'module:function'`` of ``vitbackbones.openmmlab``. The function gets what the target
            is, and returns what takes its place; None where it changed something in place.
        when: one of the moments above.
        releases: where it is needed: ``ALL``, or ``ONEDL`` for the continued releases alone.
        needed_by: for ``IF_UNUSED``, words of which a config that needs it has one in its text.
        protects: what would be loaded without protection if the target were gone. Such a patch is
            never skipped silently.
    """

    target: str
    wrong: str
    done: str
    fix: str
    when: str = AFTER_IMPORT
    releases: str = ALL
    needed_by: tuple[str, ...] = ()
    protects: str = ''
