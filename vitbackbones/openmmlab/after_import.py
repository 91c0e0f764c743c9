"""Patching a module right after its import, whoever imports it and whenever.

Importing OpenMMLab takes seconds, and not all of it is installed everywhere. So ``import
vitbackbones`` imports none of it. A finder at the head of ``sys.meta_path`` lets others find the
modules of the table and patches each as soon as it has run. What was imported before is patched at
once, and gets the operators that it went without.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pkgutil import resolve_name
from types import ModuleType

from .applying import apply_patch
from .late_operators import import_again
from .patches import AFTER_IMPORT, IF_MISSING, PATCHES, Patch

BY_MODULE: dict[str, list[Patch]] = {}
for _patch in PATCHES:
    if _patch.when == AFTER_IMPORT:
        BY_MODULE.setdefault(_patch.target.partition(':')[0], []).append(_patch)
STAND_INS = {patch.target: patch.fix for patch in PATCHES if patch.when == IF_MISSING}


@dataclass
class LoaderAround(Loader):
    """Does what another loader does, which the module keeps as its own, inside of ``around()``."""

    loader: Loader
    around: Callable[[ModuleType], AbstractContextManager]

    def __getattr__(self, name: str):
        return getattr(self.loader, name)  # get_code, get_source and other optional methods

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__.loader = module.__loader__ = self.loader
        with self.around(module):
            self.loader.exec_module(module)


def find_around(
    asked: MetaPathFinder, name: str, *place, around: Callable[[ModuleType], AbstractContextManager]
) -> ModuleSpec | None:
    """Return what the finders other than ``asked`` find, to be run inside a context."""
    others = (finder for finder in sys.meta_path if finder is not asked)
    spec = next(filter(None, (finder.find_spec(name, *place) for finder in others)), None)
    if spec is not None and spec.loader is not None:  # None: a namespace without code
        spec.loader = LoaderAround(spec.loader, around)
    return spec


def _patch_module(module: ModuleType) -> None:
    for patch in BY_MODULE[module.__name__]:
        apply_patch(patch, module)


class PatchingFinder(MetaPathFinder):
    """Lets others find the modules of the table, and patches them when they have run."""

    def __init__(self) -> None:
        self.waiting: set[str] = set()  # they had begun to run, and not ended, when this came

    def find_spec(self, name: str, path=None, target=None) -> ModuleSpec | None:
        self.patch_finished()
        if name not in BY_MODULE:
            return None
        return find_around(self, name, path, target, around=self.patching)

    @contextmanager
    def patching(self, module: ModuleType) -> Iterator[None]:
        """Patch a module when it has run."""
        yield
        _patch_module(module)

    def patch_finished(self) -> None:
        """Patch what was waiting and has run to its end meanwhile."""
        modules = {name: sys.modules.get(name) for name in sorted(self.waiting)}
        finished = {
            name: module
            for name, module in modules.items()
            if not getattr(getattr(module, '__spec__', None), '_initializing', False)
        }
        self.waiting -= finished.keys()  # now: importing a patch leads here again
        for module in finished.values():
            if module is not None:  # its import may have failed
                _patch_module(module)


class StandInFinder(MetaPathFinder, Loader):
    """Makes a stand-in for a module of the table that nobody else has."""

    def find_spec(self, name: str, path=None, target=None) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name in STAND_INS else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return resolve_name(f'{__package__}.{STAND_INS[spec.name]}')(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: a stand-in has no code of its own."""


def install() -> None:
    """Patch what is imported already, and the rest when it is; once in a process."""
    if any(isinstance(finder, PatchingFinder) for finder in sys.meta_path):
        return
    finder = PatchingFinder()
    sys.meta_path.insert(0, finder)
    sys.meta_path.append(StandInFinder())
    for name in BY_MODULE:
        if name in sys.modules:
            import_module(name)  # waits for another thread that is importing it
            finder.waiting.add(name)
    finder.patch_finished()
    import_again()
