"""The embedded Shapes data, checks of a data set before a run, loading of images and masks.

The registries find what a configuration names here; the rest is imported where it is used.
"""

from .masks import LoadMask
from .transforms import LoadImage

__all__ = ['LoadImage', 'LoadMask']
