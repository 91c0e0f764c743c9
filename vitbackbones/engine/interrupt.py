"""Ctrl-C, or a scheduler's SIGTERM, leaves a checkpoint from which the run continues.

The iteration in progress is finished, ``interrupted.pth`` is written beside the regular
checkpoints, which stay as they are, and the run ends. A second Ctrl-C ends it at once; a second
SIGTERM does not, as torchrun passes on the one that a scheduler has sent to all processes already.

Training resumes at the next iteration, also in the middle of an epoch: ``ExactResumeHook`` enters
the data there. A run that was interrupted in an evaluation resumes after it.

A scheduler's signal reaches the data workers too, and torch lets them die of it, which would end
the run before its checkpoint. Here a worker ends when the training process says so.
"""

import os
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Thread

import torch
from mmengine.device import get_device
from mmengine.dist import all_reduce, barrier, is_distributed, is_main_process
from mmengine.hooks import EMAHook, Hook
from mmengine.runner import EpochBasedTrainLoop

from ..registry import HOOKS
from .saving import AtomicBackend

FILE = 'interrupted.pth'
SIGNALS = (signal.SIGINT, signal.SIGTERM)


class TrainingInterrupted(Exception):
    """Raised after the checkpoint is written; ``status`` is the exit status of the process."""

    def __init__(self, message: str, signal_number: int) -> None:
        super().__init__(message)
        self.status = 128 + signal_number


def outlive_sigterm(worker: int, then: Callable[[int], None] | None) -> None:
    """Begin a data worker that ends by the SIGTERM of its parent alone; ``then`` goes on."""
    if hasattr(signal, 'sigwaitinfo'):  # not on macOS, which has no such schedulers
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        Thread(target=_end_with_parent, daemon=True).start()
    if then is not None:
        then(worker)


def _end_with_parent() -> None:
    while signal.sigwaitinfo({signal.SIGTERM}).si_pid != os.getppid():
        pass
    os._exit(0)


def _count_swaps(hook: EMAHook) -> None:
    """Keep in ``hook.swapped`` whether the model holds the average in place of the weights."""
    swap = hook._swap_ema_parameters

    def counted() -> None:
        swap()
        hook.swapped = not hook.swapped

    hook.swapped, hook._swap_ema_parameters = False, counted


@HOOKS.register_module()
class InterruptHook(Hook):
    """Ends a run on SIGINT or SIGTERM with a checkpoint, as the module docstring says."""

    priority = 'LOWEST'  # after schedulers and checkpoints have seen the iteration

    def __init__(self) -> None:
        self.received = 0

    # ------------------------------------------------------------------------ signals

    def before_train(self, runner) -> None:
        self._process = os.getpid()
        self._previous = {number: signal.signal(number, self._note) for number in SIGNALS}
        for loop in (runner.train_loop, runner.val_loop):
            if loop is not None:
                loader = loop.dataloader
                loader.worker_init_fn = partial(outlive_sigterm, then=loader.worker_init_fn)
        self._averages = [hook for hook in runner.hooks if isinstance(hook, EMAHook)]
        for hook in self._averages:
            _count_swaps(hook)

    def after_train(self, runner) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame) -> None:
        if os.getpid() != self._process:  # in a forked data worker; the main process ends it
            return
        self.received = number
        again = number == signal.SIGINT
        signal.signal(number, signal.SIG_DFL if again else signal.SIG_IGN)
        if is_main_process():
            hint = b'; once more to stop at once' if again else b''
            os.write(2, b'\nending after this iteration' + hint + b'\n')

    def _asked_to_stop(self) -> bool:
        """Whether any process got a signal: all must leave the loop at the same iteration."""
        if is_distributed():
            received = torch.tensor(self.received, device=get_device())
            all_reduce(received, 'max')
            self.received = int(received)
        return bool(self.received)

    # ------------------------------------------------------------------------ places to stop

    def before_train_epoch(self, runner) -> None:
        if self._asked_to_stop():  # since the evaluation's last image
            self._stop(runner, runner.epoch, runner.iter)

    def after_train_iter(self, runner, batch_idx, data_batch=None, outputs=None) -> None:
        by_epoch = isinstance(runner.train_loop, EpochBasedTrainLoop)
        if by_epoch and self.end_of_epoch(runner.train_dataloader, batch_idx):
            return  # the epoch is complete: after_train_epoch
        if self._asked_to_stop():
            self._stop(runner, runner.epoch, runner.iter + 1)

    def after_train_epoch(self, runner) -> None:
        by_epoch = isinstance(runner.train_loop, EpochBasedTrainLoop)
        if by_epoch and self._asked_to_stop():
            self._stop(runner, runner.epoch + 1, runner.iter)

    def after_val_iter(self, runner, batch_idx, data_batch=None, outputs=None) -> None:
        # Several processes may have different numbers of images and cannot agree here.
        if self.received and not is_distributed():
            for hook in self._averages:
                if hook.swapped:  # it evaluates its average in place of the weights
                    hook._swap_ema_parameters()
            self._stop(runner, runner.epoch, runner.iter)

    def _stop(self, runner, epoch: int, iteration: int) -> None:
        """Save a checkpoint that resumes at ``epoch`` and ``iteration``, and leave the loop."""
        self.after_train(runner)
        path = Path(runner.work_dir, FILE)
        meta = {'epoch': epoch, 'iter': iteration}
        runner.save_checkpoint(runner.work_dir, FILE, meta=meta, by_epoch=False)
        if is_main_process():
            AtomicBackend().put(str(path).encode(), path.with_name('last_checkpoint'))
        barrier()  # a launcher kills all processes when the first one ends
        raise TrainingInterrupted(
            f'interrupted: {path} continues with epoch {epoch + 1}, iteration {iteration + 1}',
            self.received,
        )
