"""Trackers beside the local log: they get what a run logs, and follow it when it is resumed.

They start after the checkpoint is loaded, when it is known where the run goes on, and are closed
however it ends.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from pkgutil import resolve_name

from mmengine.dist import master_only
from mmengine.hooks import Hook
from mmengine.runner import EpochBasedTrainLoop, Runner

from ..catalog import config_name
from ..errors import InputError
from ..messages import in_one_line
from .backend import Backend, left_alone
from .record import (
    empty_record,
    logged_rows,
    own_trackers,
    read_record,
    this_start,
    write_record,
)
from .tracker import Start, Tracker

TRACKERS = {
    'tensorboard': 'tensorboard:TensorBoard',
    'wandb': 'wandb:WeightsAndBiases',
    'mlflow': 'mlflow:MLflow',
}
RUNNING, FINISHED = 'running', 'finished'


def tracker_class(name: str) -> type[Tracker]:
    """Return a class by its name in :data:`TRACKERS`; its package is imported when it is used."""
    return resolve_name(f'{__package__}.{TRACKERS[name]}')


class Follower(Hook):
    """A hook that is also told when a run does not end as it should."""

    def after_stop(self, runner: Runner, reason: str) -> None:
        """Act on a run that was stopped; ``reason`` is one line."""


@contextmanager
def followed_to_its_end(runner: Runner) -> Iterator[None]:
    """Tell the followers of a run what has stopped it: a signal or an error."""
    try:
        yield
    except BaseException as error:
        for hook in runner.hooks:
            if isinstance(hook, Follower):
                hook.after_stop(runner, in_one_line(error))
        raise


class TrackHook(Follower):
    """Gives a run's losses, rates, metrics and config to trackers, on the first process only.

    Args:
        trackers: names in :data:`TRACKERS`; none for a record of the run alone.

    Raises:
        InputError: another name.
    """

    priority = 'HIGH'  # before hooks that log or draw

    def __init__(self, trackers: Sequence[str] = ()) -> None:
        for name in trackers:
            if name not in TRACKERS:
                known = ', '.join(TRACKERS)
                raise InputError(f'TrackHook: trackers=[{name!r}]: unknown; known are {known}')
        self.trackers = trackers
        self.backends: list[Backend] = []
        self.record: dict | None = None  # until training begins

    @master_only
    def before_train(self, runner: Runner) -> None:
        """Start the trackers."""
        work_dir = Path(runner.work_dir)
        earlier = read_record(work_dir) if runner.iter else empty_record()
        earlier['trackers'] = own_trackers(work_dir, earlier)
        start = this_start(runner)
        for name in self.trackers:
            if named := self._start(runner, name, earlier):
                start['trackers'].append(name)
                earlier['trackers'][name] = named
        starts = [*earlier['starts'], start]
        self.record = {**earlier, 'starts': starts, 'work_dir': str(work_dir)}
        self._note(runner, RUNNING)

    def _start(self, runner: Runner, name: str, earlier: dict) -> dict | None:
        """Start a tracker, and return what names the run there; None if that fails."""
        tracker, known = tracker_class(name)(), earlier['trackers'].get(name)
        try:
            named = tracker.start(_describe(runner, known))
            last = tracker.last()
        except Exception as error:  # of a network, mostly
            runner.logger.warning(left_alone(name, error))
            return None
        runner.logger.info(f'{name}: {named["place"]}')
        rows = _earlier_rows(runner, earlier['starts'])
        if tracker.forgets:  # it is given again what comes again
            rows = {key: each for key, each in rows.items() if each[0] <= runner.iter}
        backend = Backend(name, tracker, lambda: runner.iter, rows.keys(), runner.logger.warning)
        backend.catch_up(each for each in rows.values() if each[0] > last)
        runner.visualizer._vis_backends[name] = backend
        self.backends.append(backend)
        return named

    @master_only
    def after_train(self, runner: Runner) -> None:
        self._note(runner, FINISHED)

    def after_run(self, runner: Runner) -> None:
        """Close the trackers; mmengine's hook of the log does, where a config has it."""
        for backend in self.backends:
            backend.close()

    def after_stop(self, runner: Runner, reason: str) -> None:
        """Close the trackers of a run that did not come to its end."""
        for backend in self.backends:
            backend.close(failed=True)
        if self.record:
            self._note(runner, f'stopped: {reason}')

    def _note(self, runner: Runner, status: str) -> None:
        self.record['status'] = status
        try:
            write_record(Path(runner.work_dir), self.record)
        except InputError as error:  # a full disk; checkpoints decide whether the run can go on
            runner.logger.warning(str(error))


def _earlier_rows(runner: Runner, starts: list[dict]) -> dict[tuple, tuple[int, dict]]:
    by_epoch = isinstance(runner.train_loop, EpochBasedTrainLoop)
    epoch_length = len(runner.train_dataloader) if by_epoch else 1
    return logged_rows(Path(runner.work_dir), starts, epoch_length)


def _describe(runner: Runner, known: dict | None) -> Start:
    """Describe a start to a tracker; the run has the name of its work dir and its config."""
    work_dir, config = Path(runner.work_dir), runner.cfg
    name = config_name(config.filename) if config.filename else work_dir.name
    return Start(
        work_dir=work_dir,
        name=name if name == work_dir.name else f'{work_dir.name} ({name})',
        config=config.pretty_text,
        settings=config.to_dict(),
        iteration=runner.iter,
        known=known,
    )
