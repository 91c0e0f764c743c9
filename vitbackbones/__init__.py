"""Vision-transformer backbones for COCO detection and ADE20K segmentation on OpenMMLab."""

from .catalog import config
from .models import create_model, list_models, transform
from .openmmlab.after_import import install as patch_openmmlab
from .version import __version__

__all__ = ['__version__', 'config', 'create_model', 'list_models', 'transform']

patch_openmmlab()
