"""Toolboxes that a run does not use stay unimported, and some large packages with them.

The toolboxes import each other where they are installed: mmdet imports mmpretrain for its
re-identification models, mmseg imports mmdet for Mask2Former. mmseg imports timm, and mmdet
scikit-learn, for a class or two. Each takes time, and each can do without the others. So in a run
of the tools these imports find nothing, unless the config names what needs them.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from mmengine.config import Config

from .after_import import find_around
from .patches import IF_UNUSED, PATCHES


class UnusedToolboxes(MetaPathFinder):
    """Hides a package from the modules that import it without need.

    Attributes:
        importers: the package that each module must not find.
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
        return find_around(self, name, path, target, around=self.hiding)

    @contextmanager
    def hiding(self, module: ModuleType) -> Iterator[None]:
        """Let one of the importers run."""
        self.hidden = self.importers[module.__name__]
        try:
            yield
        finally:
            self.hidden = ''


FINDER = UnusedToolboxes()


def leave_out_unused(config: Config) -> None:
    """Keep what a config does not use from being imported by the toolbox it uses.

    Call it before the toolbox is imported; what is imported already stays.
    """
    text = str(config.to_dict())
    optional = [patch for patch in PATCHES if patch.when == IF_UNUSED]
    unused = [
        patch.target for patch in optional if not any(word in text for word in patch.needed_by)
    ]
    FINDER.importers = dict(target.split(':') for target in unused)
    if FINDER not in sys.meta_path:
        sys.meta_path.insert(0, FINDER)
