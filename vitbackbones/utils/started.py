"""What has started the work of this process: a command, or a call from Python.

Messages and logs name the command that does something again. Where Python has called, as in a
notebook, ``sys.argv`` is that of its kernel; a command line that would do the same stands for it.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager


class _Started:
    is_command = False
    by_call: list[str] | None = None


def is_command() -> bool:
    """Return whether a command runs, so that this process does nothing else before it ends."""
    return _Started.is_command


def is_call() -> bool:
    """Return whether Python has called what runs."""
    return _Started.by_call is not None


def words() -> list[str]:
    """Return the command line of this process, or the one that a call from Python stands for."""
    return sys.argv if _Started.by_call is None else _Started.by_call


@contextmanager
def by_command() -> Iterator[None]:
    """Run a command in this process."""
    before = _Started.is_command
    _Started.is_command = True
    try:
        yield
    finally:
        _Started.is_command = before


@contextmanager
def by_call(command_line: Sequence[str]) -> Iterator[None]:
    """Do for Python what ``command_line`` does."""
    before = _Started.by_call
    _Started.by_call = [*command_line]
    try:
        yield
    finally:
        _Started.by_call = before
