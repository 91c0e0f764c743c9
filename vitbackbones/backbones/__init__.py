"""The networks, each an OpenMMLab backbone: ``type='vitbackbones.AugViT', arch='s'``."""

from .base import Backbone
from .pvt import PVT, AugPVT
from .vit import AugViT, ViT

__all__ = ['PVT', 'AugPVT', 'AugViT', 'Backbone', 'ViT']
