"""The embedded Shapes data, checks of a data set before a run, and image loading.

The registries find what a configuration names here; the rest is imported where it is used.
"""

from .transforms import LoadImage

__all__ = ['LoadImage']
