"""Run exported files: without torch, on numpy and the runtime of the file's format."""

from .model import Exported, load

__all__ = ['Exported', 'load']
