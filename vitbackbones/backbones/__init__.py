"""The networks, each an OpenMMLab backbone: ``type='vitbackbones.AugViT', arch='s'``."""

from .base import Backbone
from .mixer import Mixer, RecursiveMixer
from .pvt import PVT, AugPVT
from .sret import SReT
from .t2t import T2T, AugT2T
from .tnt import TNT
from .vit import AugViT, ViT

__all__ = [
    'PVT',
    'T2T',
    'TNT',
    'AugPVT',
    'AugT2T',
    'AugViT',
    'Backbone',
    'Mixer',
    'RecursiveMixer',
    'SReT',
    'ViT',
]
