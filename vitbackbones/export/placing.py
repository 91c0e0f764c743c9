"""Export in a temporary folder, then move the files to their places.

An export is two or three files. They are made in a folder beside their places and moved together,
so that a whole export is left under the name, the earlier one or the new one. A process that is
killed leaves its folder; the next export beside it tidies up.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ..runtime.card import card_path, parts
from ..utils.files import folder_lock, is_abandoned

PREFIX = '.export.'
# Folders in it. The earlier export is in one of the last three: while it is moved away, while the
# new one comes, and when that is there.
MADE = 'made'
LEAVING = 'leaving'
AWAY = 'away'
OUTDATED = 'outdated'


@contextmanager
def workshop(file: Path) -> Iterator[Path]:
    """Yield an empty folder to make an exported file in; it vanishes when the block ends.

    Raises:
        InputError: another process exports to this file.
    """
    for folder in file.parent.glob(f'{PREFIX}*'):
        if is_abandoned(folder):
            _remove(folder)
    folder = file.with_name(f'{PREFIX}{file.name}')
    folder.mkdir(exist_ok=True)
    with folder_lock(folder, '--out'):
        try:
            made = folder / MADE
            shutil.rmtree(made, ignore_errors=True)  # of a killed export, where nothing can lock
            made.mkdir()
            yield made
        finally:
            _remove(folder)


def take_place(made: Sequence[Path], file: Path) -> None:
    """Move what was made in a workshop to where it belongs.

    Args:
        made: the exported file, its weights and its card.
        file: where the first of them goes; all that is there of an earlier export goes.
    """
    for each in made:
        with open(each, 'rb') as opened:
            os.fsync(opened.fileno())  # a power failure must not leave an empty file
    folder = made[0].parents[1]
    (folder / LEAVING).mkdir()
    for each in written(file):
        os.replace(each, folder / LEAVING / each.name)
    (folder / LEAVING).rename(folder / AWAY)
    for each in made:
        os.replace(each, file.with_name(each.name))
    (folder / AWAY).rename(folder / OUTDATED)


def written(file: Path) -> list[Path]:
    """Return what there is of an export: the file, its weights and its card."""
    return [each for each in (*parts(file), card_path(file)) if each.exists()]


def _remove(folder: Path) -> None:
    """Remove a workshop; an export that it has moved away and not replaced goes back first."""
    file = folder.with_name(folder.name.removeprefix(PREFIX))
    if (folder / AWAY).exists():
        for each in written(file):  # what has come of the new one
            each.unlink()
    for each in (*folder.glob(f'{LEAVING}/*'), *folder.glob(f'{AWAY}/*')):
        os.replace(each, file.with_name(each.name))
    shutil.rmtree(folder, ignore_errors=True)
