"""The state that the tests of a process share, so that their order does not matter.

What every run of OpenMMLab sets is put back after each test: its named instances (default scope,
loggers, message hubs, visualizers) and its file backends. What else a test changes and leaves
behind is a fault of that test.
"""

import os
import random
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

import numpy as np
import torch
from mmengine.fileio.backends import registry_utils
from mmengine.utils import ManagerMixin, manager
from torch.utils.data._utils import signal_handling

# starts of variables; cv2 sets the last
SET_ON_IMPORT = ('PYTEST', 'TORCHINDUCTOR', 'TOKENIZERS', 'OPENCV', 'KMP', 'LD_LIBRARY_PATH')
# starts of folders that a library puts into sys.path on import: setuptools does with one of its own
INSTALLED = tuple(f'{path}{os.sep}' for path in sys.path if path.endswith('-packages'))


class SharedState:
    """How it is now."""

    def __init__(self) -> None:
        self.watched = _watched()
        self.tables = [(table, dict(table)) for table in _tables()]

    def put_back(self) -> None:
        """Take out of OpenMMLab's tables what was entered since."""
        before = {id(table): content for table, content in self.tables}
        for table in _tables():
            content = before.get(id(table), {})
            table.clear()
            table.update(content)
        # a named instance that could not be made keeps the lock, for which other threads wait
        manager._lock = RLock()

    def changed(self) -> list[str]:
        """The names of what differs now."""
        before, now = self.watched, _watched()
        return [name for name in before | now if before.get(name) != now.get(name)]


def _watched() -> dict:
    """What no test may leave changed, by its name in the message."""
    variables = {f'${k}': v for k, v in os.environ.items() if not k.startswith(SET_ON_IMPORT)}
    # torch's data loaders keep a handler of SIGCHLD
    handlers = {
        each.name: signal.getsignal(each) for each in set(signal.Signals) - {signal.SIGCHLD}
    }
    return {
        'the current directory': os.getcwd(),
        'sys.path': [path for path in sys.path if not path.startswith(INSTALLED)],
        'the number of torch threads': torch.get_num_threads(),
        "torch's default dtype": torch.get_default_dtype(),
        "torch's gradient mode": torch.is_grad_enabled(),
        "torch's deterministic mode": torch.are_deterministic_algorithms_enabled(),
        'the process group': torch.distributed.is_initialized(),
        **variables,
        **handlers,
    }


def _tables() -> Iterator[dict]:
    yield registry_utils.backends
    yield registry_utils.prefix_to_backends
    kinds = [ManagerMixin]
    while kinds:
        kind = kinds.pop()
        kinds += type.__subclasses__(kind)
        yield kind._instance_dict


@contextmanager
def process_of_its_own() -> Iterator[None]:
    """Let what ends with a process end with what runs inside: handlers, variables, paths."""
    variables, path = dict(os.environ), sys.path.copy()
    handlers = {each: signal.getsignal(each) for each in signal.Signals}
    try:
        yield
    finally:
        for each, handler in handlers.items():
            if signal.getsignal(each) != handler:
                signal.signal(each, handler)
        forget_handler()
        kept = {k: v for k, v in os.environ.items() if k.startswith(SET_ON_IMPORT)}
        os.environ.clear()
        os.environ.update(variables | kept)
        added = [each for each in sys.path if each not in path and each.startswith(INSTALLED)]
        sys.path[:] = path + added


def forget_handler() -> None:
    """Let torch set its handler of SIGCHLD again: it was put back with the others."""
    signal_handling._SIGCHLD_handler_set = False


def seed_generators() -> None:
    """Give each test the same random numbers, whatever ran before it."""
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)
