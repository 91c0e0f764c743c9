"""Published weights by name: where they are, what they need, and how they get to this machine."""

from .downloads import fetch
from .table import DETECTORS, LEFT_RANDOM, NEVER_PUBLISHED, PUBLISHED, Detector, Published

__all__ = ['DETECTORS', 'LEFT_RANDOM', 'NEVER_PUBLISHED', 'PUBLISHED', 'Detector', 'Published']
__all__ += ['fetch']
