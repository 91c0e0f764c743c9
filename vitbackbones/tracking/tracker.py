"""What a tracker is given, and what it does with it."""

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
        iteration: that it goes on from, 0 where it begins.
        known: what the tracker has returned at the last start, None if this is its first one.
    """

    work_dir: Path
    name: str
    config: str
    settings: dict
    iteration: int
    known: dict | None


class Tracker(ABC):
    """Where a run is followed from outside; whatever it raises ends itself, not the run.

    Attributes:
        forgets: what was logged beyond the place that a resumed run goes on from is taken back, so
            that it is logged again; otherwise it stays, and is left out when it comes again.
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
        """Begin a run, or go on with the one that ``start.known`` names; return what names it.

        The returned dict is kept as JSON; its ``'place'`` says where the run can be looked at.
        """

    @abstractmethod
    def log(self, values: dict[str, float], iteration: int) -> None:
        """Write numbers after so many iterations."""

    @abstractmethod
    def show(self, name: str, pixels: np.ndarray, iteration: int) -> None:
        """Write a picture, RGB of shape (H, W, 3) in uint8."""

    @abstractmethod
    def finish(self, failed: bool) -> None:
        """Write what is not written yet, and say how the run has ended."""
