"""Published weights by name: where they are, what they need, and how they get to this machine."""

from .cache import fetch
from .detectors import DETECTORS, Detector
from .table import LEFT_RANDOM, NEVER_PUBLISHED, PUBLISHED, Published

__all__ = [
    'DETECTORS',
    'LEFT_RANDOM',
    'NEVER_PUBLISHED',
    'PUBLISHED',
    'Detector',
    'Published',
    'fetch',
]
