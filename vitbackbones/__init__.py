"""Vision-transformer backbones for COCO detection and ADE20K segmentation on OpenMMLab."""

from .openmmlab import compat

compat.prepare()

from .models import create_model, list_models  # noqa: E402  (compat must come first)
from .version import __version__  # noqa: E402

__all__ = ['__version__', 'create_model', 'list_models']
