"""Packages that toolboxes import without need, and what they do without them.

The toolboxes import each other where they are installed: mmdet imports mmpretrain for its
re-identification models, mmseg imports mmdet for Mask2Former. mmseg imports timm, and mmdet
scikit-learn, for a class or two. Each import takes time, so in a run of the tools it finds nothing,
unless the config names what needs it. Others are not installed: imgaug gets a stand-in, and beside
a transformers that is too new the models that use it are left out.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType

from mmengine.config import Config

from ..errors import InputError
from .after_import import find_around
from .patches import IF_UNUSED, PATCHES


class UnusedToolboxes(MetaPathFinder):
    """Hides a package from the modules that import it without need."""

    def __init__(self) -> None:
        self.importers: dict[str, str] = {}  # the package that each module must not find
        self.hidden = ''  # the package that is not found now

    def find_spec(self, name: str, path=None, target=None) -> ModuleSpec | None:
        if name.partition('.')[0] == self.hidden:
            raise ModuleNotFoundError(f'{name} is not imported in this run', name=name)
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


class ImgAug(ModuleType):
    """Stands in for ``imgaug`` and its modules alike. What is used of it says what is missing."""

    __path__ = ()  # it has modules

    def __getattr__(self, name: str):
        if name.startswith('__'):
            raise AttributeError(name)

        def missing(*args, **kwargs):
            raise InputError(f'{self.__name__}.{name} is not installed: pip install imaug')

        return missing


def without_new_transformers(with_multimodal: bool) -> bool:
    """Leave mmpretrain's multimodal models out where transformers is too new for them."""
    try:
        return with_multimodal and int(version('transformers').partition('.')[0]) < 5
    except PackageNotFoundError:
        return with_multimodal
