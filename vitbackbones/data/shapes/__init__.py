"""Shapes, a small synthetic dataset with detection, instance, panoptic and semantic labels."""

from .writing import GROUND, KINDS, write

__all__ = ['GROUND', 'KINDS', 'write']
