"""On Ctrl-C or a scheduler's SIGTERM, save a checkpoint from which the run can continue.

The run goes on until the optimizer has taken its next step, ``interrupted.pth`` is written beside
the regular checkpoints, and the run ends (docs/clusters.md). A second Ctrl-C ends it at once; a
second SIGTERM does not, as torchrun passes on the one that a scheduler has sent to all processes
already. A run that was stopped before the end of an evaluation begins with that evaluation.

Where training waits for a data worker that does not answer, there is no step to finish: it ends
after ``GRACE`` seconds. A run that has lost a data worker ends in the same way, with the reason.

With several processes all leave at the same iteration. What they agree on does not touch what a
process has noted itself: a signal may arrive while they do, and counts the next time.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import current_thread, main_thread
from typing import NoReturn

import torch
from mmengine.device import get_device
from mmengine.dist import all_reduce, barrier, is_distributed, is_main_process
from mmengine.hooks import EMAHook, Hook
from mmengine.runner import EpochBasedTrainLoop

from ...errors import InputError, TrainingInterrupted
from ...utils.files import write_file
from ...utils.frames import waits_for_data
from ...utils.processes import SIGNALS
from ...utils.run_files import INTERRUPTED, POINTER
from ..find_checkpoint import latest_checkpoint, resume_hint
from .data_workers import WorkerWatch, explain_loss, lost_a_worker
from .exact_resume import evaluation_is_owed, gradients_applied

GRACE = 10  # seconds, of the 30 that schedulers and torchrun leave


@contextmanager
def saved_without_data(runner) -> Iterator[None]:
    """Save a checkpoint if ``runner`` has lost a data worker and waits for its data.

    Raises:
        InputError: which worker died of what, and what was saved.
    """
    try:
        yield
    except RuntimeError as error:
        if not lost_a_worker(error):
            raise
        hook = next(hook for hook in runner.hooks if isinstance(hook, InterruptHook))
        hook.end_without_data(runner, error)


def _count_swaps(hook: EMAHook) -> None:
    """Keep in ``hook.swapped`` whether the model holds the average in place of the weights."""
    swap = hook._swap_ema_parameters

    def counted() -> None:
        swap()
        hook.swapped = not hook.swapped

    hook.swapped = False
    hook._swap_ema_parameters = counted


def _agree(own: int, choice: str = 'max') -> int:
    """Return the highest, or lowest (``'min'``), of the numbers that all processes give."""
    if not is_distributed():
        return own
    numbers = torch.tensor(own, device=get_device())
    all_reduce(numbers, choice)
    return int(numbers)


class InterruptHook(Hook):
    """Ends a run on one of ``SIGNALS`` with a checkpoint, as the module docstring says."""

    priority = 'LOWEST'  # after schedulers and checkpoints have seen the iteration

    def __init__(self) -> None:
        self.received = 0
        self.workers = WorkerWatch()
        self._previous: dict = {}  # handlers of signals, while they are taken

    # ------------------------------------------------------------------------ signals

    def before_train(self, runner) -> None:
        self._process = os.getpid()
        self._first = runner.iter
        self._runner = runner
        self._terminals = [stream for stream in (1, 2) if os.isatty(stream)]
        if current_thread() is main_thread():
            self._listen()
        else:  # where Python takes no handlers
            runner.logger.warning(
                'this training does not run in the main thread: Ctrl-C and other signals end it '
                'without a checkpoint'
            )
        self._averages = [hook for hook in runner.hooks if isinstance(hook, EMAHook)]
        for hook in self._averages:
            _count_swaps(hook)
        if evaluation_is_owed(runner):
            runner.logger.info('starting with the evaluation that was interrupted or had not begun')
            runner.val_loop.run()

    def _listen(self) -> None:
        for number in SIGNALS:
            # nohup makes processes ignore SIGHUP
            if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                self._previous[number] = signal.signal(number, self._note)
        self._previous[signal.SIGALRM] = signal.signal(signal.SIGALRM, self._end_waiting)
        self.workers.begin()

    def after_stop(self, runner, reason: str) -> None:
        """Give the signals back after an error, too: the process may go on, as a notebook does."""
        self._give_back()

    def after_train(self, runner) -> None:
        barrier()  # others wait here until the first process has written its last file
        agreed = _agree(self.received)
        self._give_back()
        if self._first and is_main_process():
            work_dir = Path(runner.work_dir)
            latest = latest_checkpoint(work_dir)
            if latest is not None and latest.name != INTERRUPTED:  # the run has saved another
                (work_dir / INTERRUPTED).unlink(missing_ok=True)
        number = agreed or self.received  # which may have come while they agreed
        if number:
            raise TrainingInterrupted('interrupted: the training is complete', number)

    def _give_back(self) -> None:
        """Let signals do what they did before, where they were taken."""
        if not self._previous:
            return
        self.workers.end()
        end_waiting = self._previous.pop(signal.SIGALRM)
        while self._previous:
            signal.signal(*self._previous.popitem())
        signal.setitimer(signal.ITIMER_REAL, 0)  # which any of them could have set until now
        signal.signal(signal.SIGALRM, end_waiting)

    def _note(self, number: int, frame) -> None:
        if os.getpid() != self._process:  # in a forked data worker; the main process ends it
            return
        self.received = self.received or number
        again = number == signal.SIGINT
        signal.signal(number, signal.SIG_DFL if again else signal.SIG_IGN)
        if number == signal.SIGHUP:
            _write_nowhere(self._terminals)
        if is_main_process():
            said = 'ending after this step' + '; press Ctrl-C again to stop at once' * again
            try:
                os.write(2, f'\n{said}\n'.encode())
            except OSError:  # the other end of a pipe, such as tee, got the signal too and is gone
                _write_nowhere([each for each in (1, 2) if os.path.sameopenfile(each, 2)])
        signal.setitimer(signal.ITIMER_REAL, GRACE, GRACE)

    def _end_waiting(self, number: int, frame) -> None:
        """End a run that has waited for its data since it was told to end."""
        waits = waits_for_data(frame) and not is_distributed()  # a launcher kills processes
        if waits and gradients_applied(self._runner):
            signal.setitimer(signal.ITIMER_REAL, 0)
            runner = self._runner
            self._stop(runner, runner.epoch, runner.iter, self.received)

    # ------------------------------------------------------------------------ places to stop

    def before_train_epoch(self, runner) -> None:
        self._stop_if_told(runner, runner.epoch, runner.iter)  # since the evaluation's last image

    def after_train_iter(self, runner, batch_idx, data_batch=None, outputs=None) -> None:
        by_epoch = isinstance(runner.train_loop, EpochBasedTrainLoop)
        if by_epoch and self.end_of_epoch(runner.train_dataloader, batch_idx):
            return  # the epoch is complete: after_train_epoch
        self._stop_if_told(runner, runner.epoch, runner.iter + 1)

    def after_train_epoch(self, runner) -> None:
        if isinstance(runner.train_loop, EpochBasedTrainLoop):
            self._stop_if_told(runner, runner.epoch + 1, runner.iter)

    def before_val_epoch(self, runner) -> None:
        self.shared_batches = _agree(len(runner.val_dataloader), 'min')

    def after_val_iter(self, runner, batch_idx, data_batch=None, outputs=None) -> None:
        if batch_idx < self.shared_batches:  # a process may have more images than another
            self._stop_if_told(runner, runner.epoch, runner.iter)

    def _stop_if_told(self, runner, epoch: int, iteration: int) -> None:
        """Leave the loop if any process got a signal or has lost a data worker."""
        if not gradients_applied(runner):
            return
        if number := _agree(signal.SIGCHLD if self.workers.error else self.received):
            self._stop(runner, epoch, iteration, number)

    def _stop(self, runner, epoch: int, iteration: int, number: int) -> NoReturn:
        """Save a checkpoint that resumes at ``epoch`` and ``iteration``, and leave the loop."""
        saved = self._save(runner, epoch, iteration)
        barrier()  # a launcher kills all processes when the first one ends
        self._give_back()
        if number != signal.SIGCHLD:
            raise TrainingInterrupted(f'interrupted: {saved}\n{resume_hint(runner.cfg)}', number)
        error = self.workers.error
        death = explain_loss(error) if error else 'another process lost a data worker'
        raise InputError(f'{death}. {saved}; {resume_hint(runner.cfg)}') from error

    def end_without_data(self, runner, error: RuntimeError) -> NoReturn:
        """Save what can be saved by this process alone, and say why the run ends."""
        death = explain_loss(self.workers.error or error)
        if runner.iter == self._first:
            saved = 'Nothing was trained or saved'
        elif is_distributed():  # the others are within the next step
            saved = f'Regular checkpoints are in {runner.work_dir}; {resume_hint(runner.cfg)}'
        else:
            saved = f'{self._save(runner, runner.epoch, runner.iter)}; {resume_hint(runner.cfg)}'
        self._give_back()
        raise InputError(f'{death}. {saved}') from error

    # ------------------------------------------------------------------------ the checkpoint

    def _save(self, runner, epoch: int, iteration: int) -> str:
        for hook in self._averages:
            if hook.swapped:  # it evaluates its average in place of the weights
                hook._swap_ema_parameters()
        path = Path(runner.work_dir, INTERRUPTED)
        place = {'epoch': epoch, 'iter': iteration}
        runner.save_checkpoint(runner.work_dir, INTERRUPTED, meta=place)
        if is_main_process():
            write_file(path.with_name(POINTER), str(path).encode())
        return f'{path} continues with epoch {epoch + 1}, iteration {iteration + 1}'


def _write_nowhere(streams: list[int]) -> None:
    """Redirect ``streams`` whose reader is gone: an error on writing would end the run."""
    for stream in streams:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream)
        os.close(nowhere)
