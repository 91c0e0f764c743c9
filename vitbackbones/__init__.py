"""Vision-transformer backbones for COCO detection and ADE20K segmentation on OpenMMLab."""

from importlib import import_module
from typing import TYPE_CHECKING

from .configuration.names import config
from .openmmlab.after_import import install as patch_openmmlab
from .utils.moved import install as find_moved_modules
from .version import __version__

if TYPE_CHECKING:
    from .backbones.by_name import create_model
    from .backbones.names import list_models
    from .backbones.preprocessing import transform
    from .commands.python import test, train
    from .inference.open import open_model

# Imported when they are asked for: torch takes seconds, which ``vitbackbones --help`` need not.
LATER = {
    'create_model': '.backbones.by_name',
    'list_models': '.backbones.names',
    'open_model': '.inference.open',
    'test': '.commands.python',
    'train': '.commands.python',
    'transform': '.backbones.preprocessing',
}

__all__ = [
    '__version__',
    'config',
    'create_model',
    'list_models',
    'open_model',
    'test',
    'train',
    'transform',
]

patch_openmmlab()
find_moved_modules()


def __getattr__(name: str):
    if name not in LATER:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    return getattr(import_module(LATER[name], __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *LATER})
