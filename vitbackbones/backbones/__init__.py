"""The networks, each an OpenMMLab backbone: ``type='vitbackbones.AugViT', arch='s'``."""

from .base import Backbone
from .mixer import Mixer, RecursiveMixer
from .pvt import PVT, AugPVT
from .simple_vit import MSFViT, SimpleViT
from .sret import SReT
from .swin import MSFSwin, Swin
from .t2t import T2T, AugT2T
from .tnt import TNT
from .vit import AugViT, ViT

__all__ = [
    'AugPVT',
    'AugT2T',
    'AugViT',
    'Backbone',
    'MSFSwin',
    'MSFViT',
    'Mixer',
    'PVT',
    'RecursiveMixer',
    'SReT',
    'SimpleViT',
    'Swin',
    'T2T',
    'TNT',
    'ViT',
]
