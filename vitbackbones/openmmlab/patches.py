"""Every patch of another package: what is wrong there, and what is done about it.

The table is ``patches.csv`` beside this file. :mod:`~vitbackbones.openmmlab.applying` puts a patch
in place, and :mod:`~vitbackbones.openmmlab.after_import` does so as soon as the module that it
concerns is imported. ``docs/compatibility.md`` shows the table on the site.
"""

import csv
from dataclasses import dataclass
from pathlib import Path

TABLE = Path(__file__).with_suffix('.csv')

# When patches are put in place
AFTER_IMPORT = 'always'
IF_MISSING = 'if the module is not installed'
IN_RUN = 'in runs of the tools'
IF_UNUSED = 'in runs of the tools whose config does not need it'
IN_WORKER = 'in data workers'
IN_TRAINING = 'in training'

# For which releases of OpenMMLab
ALL = 'all'
ONEDL = 'onedl'


@dataclass(frozen=True)
class Patch:
    """One attribute of another package that is replaced, or whose value is changed in place.

    Attributes:
        target: ``'module:name'``, ``'module:Class.name'``, or a module that gets a stand-in.
        wrong: what happens without the patch.
        done: what happens with it.
        fix: ``'module:function'`` of ``vitbackbones.openmmlab``. A function of one parameter gets
            what the target is, and returns what takes its place; None where it changed something
            in place. One of several parameters is called in place of the target, which is the
            first of them.
        when: one of the moments above.
        releases: where it is needed: ``ALL``, or ``ONEDL`` for the continued releases alone.
        needed_by: for ``IF_UNUSED``, words of which a config that needs it has one in its text.
        protects: what would be loaded without protection if the target were gone. Such a patch is
            never skipped silently.
        part: the heading of the table that it stands under.
    """

    target: str
    wrong: str
    done: str
    fix: str
    when: str = AFTER_IMPORT
    releases: str = ALL
    needed_by: tuple[str, ...] = ()
    protects: str = ''
    part: str = ''


def read_patches(table: Path) -> list[Patch]:
    """Return the patches of a table; a row may have several targets, with spaces between them."""
    patches = []
    with open(table, newline='', encoding='utf-8') as lines:
        for row in csv.DictReader(lines):
            targets = row.pop('targets').split()
            needed_by = tuple(row.pop('needed_by').split())
            given = {column: text for column, text in row.items() if text}
            patches += [Patch(target=target, needed_by=needed_by, **given) for target in targets]
    return patches


PATCHES = read_patches(TABLE)
