"""Trackers as backends of mmengine's visualizer.

mmengine numbers losses by iterations and evaluations by epochs. A tracker has one axis, the
iterations that are done.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from numbers import Real

import numpy as np
from mmengine.visualization.vis_backend import BaseVisBackend

from ..messages import in_one_line
from .tracker import Tracker

# Keys of a record that are no values to follow: its place, and, in evaluations, the times of their
# batches, which would join the curves of training.
PLACES = ('iter', 'step')
TIMES = ('time', 'data_time')


def row_key(values: Collection[str], step: int) -> tuple[int, frozenset[str]]:
    """Return what tells a row of mmengine's log from all others of a run."""
    return step, frozenset(values) - {'step'}


def numbers(row: Mapping) -> dict[str, float]:
    """Return what a tracker gets of a row of mmengine's log."""
    left_out = PLACES if 'iter' in row else PLACES + TIMES
    return {
        name: float(value)
        for name, value in row.items()
        if name not in left_out and isinstance(value, Real)
    }


class Backend(BaseVisBackend):
    """Hands a run's values on to a tracker, until that fails for the first time.

    Args:
        name: of the tracker, for the message.
        tracker: has started.
        done: returns the number of iterations that are done.
        known: keys of rows that the tracker has already; see :func:`row_key`.
        warn: called with a message when the tracker fails.
    """

    def __init__(
        self,
        name: str,
        tracker: Tracker,
        done: Callable[[], int],
        known: Collection[tuple],
        warn: Callable[[str], None],
    ) -> None:
        super().__init__(save_dir='')
        self.name, self.done, self.known, self.warn = name, done, known, warn
        self.tracker: Tracker | None = tracker

    @property
    def experiment(self) -> Tracker | None:
        return self.tracker

    def _init_env(self) -> None:
        """Do nothing: the tracker has started."""

    def catch_up(self, rows: Iterable[tuple[int, Mapping]]) -> None:
        """Give the tracker rows that were logged before it started, each with its iteration."""
        for iteration, row in rows:
            self._do('log', numbers(row), iteration)

    def add_scalar(self, name: str, value: float, step: int = 0, **_) -> None:
        self.add_scalars({name: value}, step)

    def add_scalars(
        self, scalar_dict: dict, step: int = 0, file_path: str | None = None, **_
    ) -> None:
        if row_key(scalar_dict, step) in self.known:
            return
        # an epoch, which numbers evaluations, is never more than the iterations up to its end
        self._do('log', numbers(scalar_dict), max(step, self.done()))

    def add_image(self, name: str, image: np.ndarray, step: int = 0, **_) -> None:
        self._do('show', name, image, max(step, self.done()))

    def close(self, failed: bool = False) -> None:
        self._do('finish', failed)
        self.tracker = None

    def _do(self, action: str, *arguments) -> None:
        if self.tracker is None:
            return
        try:
            getattr(self.tracker, action)(*arguments)
        except Exception as error:  # whatever it is, the run is worth more
            self.tracker = None
            self.warn(left_alone(self.name, error))


def left_alone(name: str, error: Exception) -> str:
    """Return the message about a tracker that failed."""
    return f'{name} no longer follows this run, and the local log goes on: {in_one_line(error)}'
