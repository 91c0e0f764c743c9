"""Which of a run's processes this one is, and who speaks for all of them."""

import ctypes
import gc
import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

# Ctrl-C, schedulers, a closed terminal or a lost connection, and Slurm's --signal=USR1
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1)


def process_rank() -> int:
    """Return the rank that the launcher gave this process, known before the process group is."""
    return int(os.environ.get('RANK') or os.environ.get('SLURM_PROCID') or 0)


def leads_machine() -> bool:
    """Return whether this process is the first of its machine, which checks and speaks for all."""
    return int(os.environ.get('LOCAL_RANK') or os.environ.get('SLURM_LOCALID') or 0) == 0


def processes_here() -> int:
    """Return how many processes of the run are on this machine."""
    slurm = os.environ.get('SLURM_STEP_TASKS_PER_NODE', '1')  # such as 8(x2),4
    return int(os.environ.get('LOCAL_WORLD_SIZE') or re.match(r'\d+', slurm)[0])


def others_joined() -> bool:
    """Return whether this process belongs to a process group of torch, without importing torch."""
    distributed = sys.modules.get('torch.distributed')
    return bool(distributed and distributed.is_available() and distributed.is_initialized())


def was_restarted() -> bool:
    """Return whether torchrun has started the processes again after one of them ended."""
    return int(os.environ.get('TORCHELASTIC_RESTART_COUNT') or 0) > 0


def leave_processes() -> None:
    """End the process group: a thread of it that meets the interpreter's exit can abort it."""
    if others_joined():
        sys.modules['torch.distributed'].destroy_process_group()
        # Its threads end with the last that holds it: a parallel model, which is in cycles.
        gc.collect()


class _SignalStack(ctypes.Structure):
    _fields_ = (('place', ctypes.c_void_p), ('flags', ctypes.c_int), ('size', ctypes.c_size_t))


@contextmanager
def own_signal_stack() -> Iterator[None]:
    """Let signals of this thread be handled where they were before the block, behind it.

    A compiled model of OpenVINO brings a stack for signals. It puts back the one before when it is
    freed, which may be that of a model that was freed earlier: the next signal, such as that of a
    child process that ends, then crashes the process.
    """
    if sys.platform != 'linux':
        yield
        return
    library = ctypes.CDLL(None)
    before = _SignalStack()
    library.sigaltstack(None, ctypes.byref(before))
    try:
        yield
    finally:
        library.sigaltstack(ctypes.byref(before), None)
