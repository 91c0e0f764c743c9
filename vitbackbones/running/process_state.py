"""A run inside of a process that goes on, such as a notebook: it finds and leaves no trace.

mmengine names loggers, visualizers, message hubs and the default scope, and finds them by these
names in all that comes later: a second run would log into the work dir of the first. A run sets
threads, data workers and cuDNN for its whole process as well.
"""

import gc
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock

import cv2
import torch
from mmengine.device import get_device
from mmengine.utils import ManagerMixin
from torch import multiprocessing

from ..errors import InputError
from ..openmmlab.runs import own_manager_lock, set_kind_of_device
from ..utils.started import started

RUNS = Lock()


@contextmanager
def run_of_a_call(command_line: Sequence[str]) -> Iterator[None]:
    """Let a call from Python do what a command line says, and put this process back as it was.

    Random numbers go on from where the run has left them: two runs without a seed differ.

    Raises:
        InputError: another run goes on in this process.
    """
    if not RUNS.acquire(blocking=False):
        raise InputError('another run is active in this process; wait for its end')
    try:
        with (
            started(call=[*command_line]),
            own_manager_lock(),
            named_instances_kept(),
            settings_kept(),
        ):
            yield
    finally:
        RUNS.release()
        gc.collect()  # models and data workers of a runner are in cycles
        if torch.cuda.is_initialized():
            torch.cuda.empty_cache()


@contextmanager
def named_instances_kept() -> Iterator[None]:
    """Hide the named instances of mmengine, and bring them back in place of those made since."""
    before = {kind: dict(kind._instance_dict) for kind in _kinds()}
    for kind in before:
        kind._instance_dict.clear()
    try:
        yield
    finally:
        for kind in _kinds():
            _close_files(kind._instance_dict.values())
            kind._instance_dict.clear()
            kind._instance_dict.update(before.get(kind, {}))


def _kinds() -> list[type]:
    """Return all classes whose instances have names."""
    kinds = [ManagerMixin]
    for kind in kinds:  # which grows
        kinds += type.__subclasses__(kind)
    return kinds


def _close_files(instances) -> None:
    for logger in instances:
        for handler in logger.handlers if isinstance(logger, logging.Logger) else ():
            if isinstance(handler, logging.FileHandler):
                handler.close()


@contextmanager
def settings_kept() -> Iterator[None]:
    """Put back what a run sets for its process."""
    threads = torch.get_num_threads()
    threads_of_cv2 = cv2.getNumThreads()
    start_method = multiprocessing.get_start_method(allow_none=True)
    cudnn = torch.backends.cudnn
    benchmark = cudnn.benchmark
    deterministic = cudnn.deterministic
    only_deterministic = torch.are_deterministic_algorithms_enabled()
    device = get_device()
    card = torch.cuda.current_device() if torch.cuda.is_initialized() else 0
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        cv2.setNumThreads(threads_of_cv2)
        multiprocessing.set_start_method(start_method, force=True)
        cudnn.benchmark = benchmark
        cudnn.deterministic = deterministic
        torch.use_deterministic_algorithms(only_deterministic)
        set_kind_of_device(device)
        if torch.cuda.is_initialized():
            torch.cuda.set_device(card)
