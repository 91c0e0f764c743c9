"""The versions of all that computes, so that numbers and errors can be had again."""

import platform
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from ..version import __version__
from .applying import OPENMMLAB

PACKAGES = ('torch', 'torchvision', 'numpy', 'pycocotools')


def versions() -> Iterator[str]:
    """Yield name and version of Python, of this package, and of others that are installed.

    Toolboxes are named where they were imported; importing one takes seconds.
    """
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
