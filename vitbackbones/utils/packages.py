"""Packages that only some tools need, and the versions of all that computes."""

import platform
import sys
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

from ..errors import InputError
from ..version import __version__

PACKAGES = ('torch', 'torchvision', 'numpy', 'pycocotools')
OPENMMLAB = ('mmengine', 'mmcv', 'mmdet', 'mmseg', 'mmpretrain')


def import_optional(module: str, package: str) -> ModuleType:
    """Return a module; an ``InputError`` names the ``package`` that pip installs it by."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise InputError(f'{error}; install it: pip install {package}') from error


def versions() -> Iterator[str]:
    """Yield name and version of Python, of this package, and of others that are installed.

    Toolboxes are named where they were imported; importing one takes seconds.
    """
    from importlib.metadata import PackageNotFoundError, version  # takes a while

    yield f'Python {platform.python_version()}'
    yield f'vitbackbones {__version__}'
    for package in PACKAGES:
        try:
            yield f'{package} {version(package)}'
        except PackageNotFoundError:
            continue
    for name in OPENMMLAB:
        if name in sys.modules:
            yield f'{name} {getattr(sys.modules[name], "__version__", "")}'
