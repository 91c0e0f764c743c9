"""Data workers ignore the signals that end a run, and a worker that dies is reported.

A scheduler's signal reaches the data workers too, and torch lets them die of it, which would end
the run before its checkpoint. Here a worker ends when the training process says so.

Where a worker is killed, mostly because memory ran out, torch raises an error in the training
process at whatever it is doing, such as a step of the optimizer. Here the death is noted, and
raised only where training waits for data: what was trained is complete then and can be saved.

A worker that finds no shared memory for a batch would print a traceback and leave training waiting
for that batch forever. Here it ends.
"""

import os
import signal
from collections.abc import Callable
from functools import partial
from threading import Thread
from types import FrameType

from mmengine.hooks import Hook
from torch.utils.data import DataLoader

from ...openmmlab.applying import apply_patches
from ...openmmlab.patches import IN_TRAINING, IN_WORKER
from ...utils.frames import waits_for_data
from ...utils.processes import SIGNALS

FULL = (
    'shared memory (/dev/shm) is full: enlarge it (docker run --shm-size=8g), or load without '
    'data workers (num_workers=0)'
)
REASONS = {
    'Killed': (
        'most likely the machine ran out of memory: use fewer data workers (num_workers) or '
        'a smaller batch size'
    ),
    'Bus error': FULL,
    'exited unexpectedly': f'most likely {FULL}',
}
CRASH = 'a library crashed: load without data workers (num_workers=0) to see where'


class DataWorkersHook(Hook):
    """Lets data workers begin with :func:`begin_worker`."""

    priority = 'VERY_HIGH'  # before others put loaders in place of these

    def before_train(self, runner) -> None:
        for loop in (runner.train_loop, runner.val_loop):
            if loop is not None:
                self._prepare(loop.dataloader)

    def before_test(self, runner) -> None:
        self._prepare(runner.test_loop.dataloader)

    @staticmethod
    def _prepare(loader: DataLoader) -> None:
        loader.worker_init_fn = partial(begin_worker, then=loader.worker_init_fn)


def begin_worker(worker: int, then: Callable[[int], None] | None) -> None:
    """Start a worker that its parent's SIGTERM or a lack of memory ends, then call ``then``."""
    apply_patches(IN_WORKER)
    if hasattr(signal, 'sigwaitinfo'):  # not on macOS, which has no such schedulers
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        Thread(target=_end_with_parent, daemon=True).start()
    if then is not None:
        then(worker)


def _end_with_parent() -> None:
    while signal.sigwaitinfo({signal.SIGTERM}).si_pid != os.getppid():
        pass
    os._exit(0)


def lost_a_worker(error: RuntimeError) -> bool:
    """Whether ``error`` is torch's word for the death of a data worker."""
    return str(error).startswith('DataLoader worker (pid')


def explain_loss(error: RuntimeError) -> str:
    """Return which worker died, why, and what may help; ``error`` is torch's."""
    # torch's loader catches the error that names the signal, and raises a vague one from it
    exact = error.__cause__ if isinstance(error.__cause__, RuntimeError) else error
    death = str(exact).partition('. ')[0]
    reason = next((text for words, text in REASONS.items() if words in death), CRASH)
    return f'{death}: {reason}'


class WorkerWatch:
    """Notes the death of a data worker between ``begin`` and ``end``.

    Attributes:
        error: torch's error about the first worker that died.
    """

    def __init__(self) -> None:
        self.error: RuntimeError | None = None

    def begin(self) -> None:
        apply_patches(IN_TRAINING)
        self._torchs = signal.signal(signal.SIGCHLD, self._note)

    def end(self) -> None:
        signal.signal(signal.SIGCHLD, self._torchs)

    def _note(self, number: int, frame: FrameType) -> None:
        try:
            if callable(self._torchs):
                self._torchs(number, frame)
        except RuntimeError as error:
            self.error = error
            if waits_for_data(frame):
                raise
