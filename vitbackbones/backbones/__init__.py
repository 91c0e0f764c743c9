"""The networks, each an OpenMMLab backbone: ``type='vitbackbones.AugViT', arch='s'``.

The registry, ``create_model`` and the tests read ``HOSTS``; CONTRIBUTING.md lists what
else a new one needs.
"""

from .base import Backbone, PlainBackbone, PyramidBackbone
from .mixer import Mixer, RecursiveMixer
from .pvt import PVT, AugPVT
from .simple_vit import MSFViT, SimpleViT
from .sret import SReT
from .swin import MSFSwin, Swin
from .t2t import T2T, AugT2T
from .tnt import TNT
from .vit import AugViT, ViT

HOSTS = (
    *(ViT, AugViT, T2T, AugT2T, TNT, SimpleViT, MSFViT, Mixer, RecursiveMixer),
    *(PVT, AugPVT, SReT, Swin, MSFSwin),
)

__all__ = ['HOSTS', 'Backbone', 'PlainBackbone', 'PyramidBackbone']
__all__ += ['ViT', 'AugViT', 'T2T', 'AugT2T', 'TNT', 'SimpleViT', 'MSFViT', 'Mixer']
__all__ += ['RecursiveMixer', 'PVT', 'AugPVT', 'SReT', 'Swin', 'MSFSwin']
