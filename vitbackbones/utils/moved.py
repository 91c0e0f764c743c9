"""Modules that have moved: their old paths import the new modules, with a warning.

Public paths of a release work in the two minor releases after it (docs/versions.md).
"""

import csv
import sys
import warnings
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

# Old path: new path, both inside of vitbackbones unless the new one is one of a clone's folders
# below; modules of a folder move with it. What ``from vitbackbones.results import audit`` asks the
# module of ``results`` for has rows of its own.
with open(Path(__file__).with_name('moved.csv'), newline='', encoding='utf-8') as _rows:
    MOVED = {row['old']: row['new'] for row in csv.DictReader(_rows)}
PACKAGE = __name__.partition('.')[0]
OUTSIDE = ('examples.', 'tools.')  # folders of a clone, which are no part of the package


def new_path(name: str) -> str | None:
    """Return the path that a module has now, or None if ``name`` is not an old path.

    A module may have moved twice: once with its folder, then into another module.
    """
    place = name.removeprefix(f'{PACKAGE}.')
    folders = [old for old in MOVED if place == old or place.startswith(f'{old}.')]
    if place == name or not folders:
        return None
    old = max(folders, key=len)
    if MOVED[old].startswith(OUTSIDE):
        return MOVED[old]
    new = f'{PACKAGE}.{MOVED[old]}{place.removeprefix(old)}'
    return new_path(new) or new


class MovedModules(MetaPathFinder, Loader):
    """Finds a module under its old path. Both paths give the same module."""

    def find_spec(self, name: str, path=None, target=None) -> ModuleSpec | None:
        new = new_path(name)
        if new is None:
            return None
        where = ' from the folder of a clone' if new.startswith(OUTSIDE) else ''
        warnings.warn(f'{name} has moved: import {new}{where}', DeprecationWarning, stacklevel=2)
        return ModuleSpec(name, self)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Import the new module. Its own spec, which the import is about to replace, is kept."""
        module = import_module(str(new_path(spec.name)))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give the module its own spec back."""
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state


def install() -> None:
    """Let old paths be imported; once in a process."""
    if not any(isinstance(finder, MovedModules) for finder in sys.meta_path):
        sys.meta_path.insert(0, MovedModules())
