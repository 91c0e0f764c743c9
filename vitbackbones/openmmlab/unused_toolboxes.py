"""Toolboxes that a run does not use stay unimported.

The toolboxes import each other where they are installed: mmdet imports mmpretrain for its
re-identification models, mmseg imports mmdet for Mask2Former. Each takes seconds, and each can do
without the others. So in a run of the tools these imports find nothing, unless the config names
what needs them.
"""

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from mmengine.config import Config

from .after_import import find_by_others
from .patches import IF_UNUSED, PATCHES


class HidingLoader(Loader):
    """Does what another loader does, while a package is not found."""

    def __init__(self, loader: Loader, finder: 'UnusedToolboxes', package: str) -> None:
        self.loader, self.finder, self.package = loader, finder, package

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__.loader = module.__loader__ = self.loader
        self.finder.hidden = self.package
        try:
            self.loader.exec_module(module)
        finally:
            self.finder.hidden = ''


class UnusedToolboxes(MetaPathFinder):
    """Hides a package from the modules that import it in vain.

    Attributes:
        importers: the package that each module shall not find.
        hidden: the package that is not found now.
    """

    def __init__(self) -> None:
        self.importers: dict[str, str] = {}
        self.hidden = ''

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name.partition('.')[0] == self.hidden:
            raise ModuleNotFoundError(f'{name} is left out of this run', name=name)
        if name not in self.importers:
            return None
        spec = find_by_others(self, name, path, target)
        if spec is not None:
            spec.loader = HidingLoader(spec.loader, self, self.importers[name])
        return spec


FINDER = UnusedToolboxes()


def leave_out_unused(config: Config) -> None:
    """Keep the toolboxes that a config does not use from being imported by the one it uses.

    Call it before that one is imported; what is imported already stays.
    """
    text = str(config.to_dict())
    unused = [p.target for p in PATCHES if p.when == IF_UNUSED and p.needed_by not in text]
    FINDER.importers = dict(target.split(':') for target in unused)
    if FINDER not in sys.meta_path:
        sys.meta_path.insert(0, FINDER)
