"""What has started the work of this process: a command, or a call from Python.

Messages and logs name the command that does something again. Where Python has called, as in a
notebook, ``sys.argv`` is that of its kernel; a command line that would do the same stands for it.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

PART = 'VITBACKBONES_WITHOUT_HINTS'  # a variable of the environment, for trainings of an audit
_NOW = {'is_command': False, 'call': []}


def is_command() -> bool:
    """Return whether a command runs, so that this process does nothing else before it ends."""
    return bool(_NOW['is_command'])


def is_call() -> bool:
    """Return whether Python has called what runs."""
    return bool(_NOW['call'])


def is_part() -> bool:
    """Return whether this command is a part of another one, which says how to go on."""
    return PART in os.environ


def words() -> list[str]:
    """Return the command line of this process, or the one that a call from Python stands for."""
    return _NOW['call'] or sys.argv


@contextmanager
def started(is_command: bool = False, call: list[str] | None = None) -> Iterator[None]:
    """Run a command, or do for Python what the command line ``call`` does."""
    before = dict(_NOW)
    _NOW.update(is_command=is_command, call=call or [])
    try:
        yield
    finally:
        _NOW.update(before)
