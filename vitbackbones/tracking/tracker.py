"""The contract of trackers: what each is given, and what it does with it."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Start:
    """A start of a run, as a tracker is told of it.

    Attributes:
        work_dir: of the run.
        name: of the run, for people.
        config: its text.
        settings: the same as nested dicts.
        iteration: where the run goes on from, 0 for its beginning.
        known: what the tracker returned at its last start, None at its first.
    """

    work_dir: Path
    name: str
    config: str
    settings: dict
    iteration: int
    known: dict | None


class Tracker(ABC):
    """A place outside of the work dir where a run is followed. Its errors do not end the run.

    Attributes:
        forgets: whether a resumed run takes back what was logged beyond the iteration that it goes
            on from. If so it is logged again; if not it stays, and is left out the second time.
    """

    forgets = False

    @staticmethod
    @abstractmethod
    def require() -> None:
        """Look for what would make each start fail: packages, a login, a place to write to.

        Raises:
            InputError: it is missing; the message says what to do.
        """

    @abstractmethod
    def start(self, start: Start) -> dict:
        """Begin a run, or go on with the one that ``start.known`` names; return its names.

        The returned dict is kept as JSON; its ``'place'`` says where the run can be looked at.
        """

    @abstractmethod
    def last(self) -> int:
        """Return the last iteration of the run that it holds once it has started, -1 if none.

        What the local log has beyond it is logged again then: a tracker may be new to the run, may
        have failed, or may have been killed before it wrote what it was given.
        """

    @abstractmethod
    def log(self, values: dict[str, float], iteration: int) -> None:
        """Write numbers, by their names, after ``iteration`` iterations."""

    @abstractmethod
    def show(self, name: str, pixels: np.ndarray, iteration: int) -> None:
        """Write a picture, (H, W, 3) in uint8 and RGB, after ``iteration`` iterations."""

    @abstractmethod
    def finish(self, failed: bool) -> None:
        """Write what is not written yet, and note whether the run has failed."""
