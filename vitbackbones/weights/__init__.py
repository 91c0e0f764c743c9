"""Published weights by name: their sources, requirements and downloads."""

from .downloads import fetch
from .table import DETECTORS, LEFT_RANDOM, NEVER_PUBLISHED, PUBLISHED, Detector, Published

__all__ = ['DETECTORS', 'LEFT_RANDOM', 'NEVER_PUBLISHED', 'PUBLISHED', 'Detector', 'Published']
__all__ += ['fetch']
