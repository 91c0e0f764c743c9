"""Run exported files without torch, with numpy and the runtime of their format."""

from .model import Exported, load

__all__ = ['Exported', 'load']
