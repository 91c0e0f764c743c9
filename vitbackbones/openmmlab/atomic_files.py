"""mmengine's local files, complete or absent.

mmengine writes over the old file: killed in between, a run has neither the old checkpoint nor the
new one.
"""

from collections.abc import Callable
from pathlib import Path

from mmengine.fileio import LocalBackend

from ..utils.files import write_file


class AtomicBackend(LocalBackend):
    """Local files that are either the old or the new content, never a part of it."""

    def put(self, obj: bytes, filepath: str | Path) -> None:
        """Write ``obj`` to ``filepath`` by :func:`~vitbackbones.utils.files.write_file`."""
        write_file(filepath, obj)


def write_atomically(register: Callable) -> None:
    """Let mmengine write its local files through :class:`AtomicBackend`."""
    register('local', AtomicBackend, force=True, prefixes='')
