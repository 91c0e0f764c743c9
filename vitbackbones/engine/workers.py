"""Data workers outlive the signals that end a run, and one that dies is reported, not raised.

A scheduler's signal reaches the data workers too, and torch lets them die of it, which would end
the run before its checkpoint. Here a worker ends when the training process says so.

Where a worker is killed, mostly because memory ran out, torch raises an error in the training
process at whatever it is doing, such as a step of the optimizer. Here the death is noted, and
raised only where training waits for data: what was trained is complete then and can be saved.
"""

import os
import signal
from collections.abc import Callable
from threading import Thread
from types import FrameType

from torch.utils.data._utils.signal_handling import (
    _error_if_any_worker_fails,
    _set_SIGCHLD_handler,
)

# Ctrl-C, schedulers, a closed terminal or a lost connection, and Slurm's --signal=USR1
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1)

LESS_MEMORY = 'load with fewer data workers (num_workers) or in smaller batches'
REASONS = {
    'Killed': f'most likely the machine ran out of memory: {LESS_MEMORY}',
    'Bus error': 'shared memory (/dev/shm) is full: enlarge it (docker run --shm-size=8g), or load '
    'without data workers (num_workers=0)',
    'exited unexpectedly': f'memory or shared memory (/dev/shm) may have run out: {LESS_MEMORY}',
}
CRASH = 'a crash in a library: load without data workers (num_workers=0) to see where'


def outlive_signals(worker: int, then: Callable[[int], None] | None) -> None:
    """Begin a data worker that ends by the SIGTERM of its parent alone; ``then`` goes on."""
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
    """Say which worker died of what, and what may help; ``error`` is torch's."""
    death = str(error).partition('. ')[0]
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
        _set_SIGCHLD_handler()  # otherwise torch sets its own with the first worker, around ours
        self._torchs = signal.signal(signal.SIGCHLD, self._note)

    def end(self) -> None:
        signal.signal(signal.SIGCHLD, self._torchs)

    def _note(self, number: int, frame: FrameType) -> None:
        try:
            _error_if_any_worker_fails()
        except RuntimeError as error:
            self.error = error
            if _waits_for_data(frame):
                raise


def _waits_for_data(frame: FrameType | None) -> bool:
    while frame is not None and frame.f_code.co_name != '_try_get_data':  # of torch's loader
        frame = frame.f_back
    return frame is not None
