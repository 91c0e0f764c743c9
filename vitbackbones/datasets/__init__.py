"""The embedded Shapes data, checks of a data set before a run, and what OpenMMLab's lack.

The registries find what a configuration names here; the rest is imported where it is used.
"""

from importlib.util import find_spec

from .masks import LoadMask as LoadMask
from .transforms import LoadImage as LoadImage

if find_spec('mmpretrain'):  # a project that only detects or segments does without
    from .cifar import CIFAR10 as CIFAR10
    from .cifar import CIFAR100 as CIFAR100
    from .imagenet_variants import ImageNetV2 as ImageNetV2
    from .imagenet_variants import ReaLAccuracy as ReaLAccuracy
    from .inaturalist import INaturalist as INaturalist
