"""Published weights by name: where they are, what they need, and how they get to this machine."""

from .table import LEFT_RANDOM, NEVER_PUBLISHED, PUBLISHED, Published

__all__ = ['LEFT_RANDOM', 'NEVER_PUBLISHED', 'PUBLISHED', 'Published']
