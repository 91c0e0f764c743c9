"""What is wrong with the files of an import, and what was changed of them."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import InputError
from ..messages import some


class Notes:
    """Faults, which stop an import and are listed one by one, and notes, which are counted.

    Attributes:
        faults: one line for each file that cannot be used.
        notes: by what it is, the places where it was found.
    """

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.notes: dict[str, list[str]] = defaultdict(list)

    def add(self, what: str, where: str) -> None:
        """Count something that was changed or left out."""
        self.notes[what].append(where)

    @contextmanager
    def noted(self) -> Iterator[None]:
        """List a fault of one file, and go on with the next one."""
        try:
            yield
        except InputError as error:
            self.faults.append(str(error))

    def lines(self) -> list[str]:
        """Return a line for each kind of note."""
        return [
            f'{what}: {len(places)} ({some(places, str, 3)})' for what, places in self.notes.items()
        ]
