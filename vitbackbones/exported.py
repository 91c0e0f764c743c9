"""The documented name of what runs exported files; see :mod:`vitbackbones.export.runtime`."""

from .export.runtime import Exported, load

__all__ = ['Exported', 'load']
