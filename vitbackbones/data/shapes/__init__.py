"""Shapes, a small data set that is drawn: detection, instance, panoptic and semantic labels."""

from .writing import GROUND, KINDS, write

__all__ = ['GROUND', 'KINDS', 'write']
