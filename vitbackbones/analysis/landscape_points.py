"""The points of a landscape on the disk, each as soon as its loss is known.

``landscape-<model>.csv`` begins with a comment that says what the losses depend on. Only a
landscape of the same settings goes on with them.
"""

import json
import os
from pathlib import Path

from ..errors import InputError
from ..files import write_file

COMMENT, COLUMNS = '# ', 'a,b,loss'


class Points:
    """The points of one file.

    Args:
        path: the file.
        settings: what the losses depend on, by the names that a user knows.
        resume: go on with the points that are there.

    Attributes:
        losses: those that are known, by (a, b).

    Raises:
        InputError: there are points and no ``resume``, they were made with other settings, or the
            file is damaged.
    """

    def __init__(self, path: Path, settings: dict, resume: bool) -> None:
        self.path = path
        self.losses: dict[tuple[float, float], float] = {}
        if path.exists():
            if not resume:
                raise InputError(
                    f'{path} is there already; go on with --resume, or start again with --overwrite'
                )
            self._read(settings)
        lines = [COMMENT + json.dumps(settings), COLUMNS, *map(_line, self.losses.items())]
        write_file(path, ''.join(f'{line}\n' for line in lines).encode())

    def _read(self, settings: dict) -> None:
        lines = self.path.read_text(errors='replace').splitlines(keepends=True)
        try:
            before = json.loads(lines[0].removeprefix(COMMENT))
            changed = [key for key in settings if before.get(key) != settings[key]]
            whole = [line for line in lines[2:] if line.endswith('\n')]  # a kill may cut the last
            numbers = [tuple(map(float, line.split(','))) for line in whole]
            self.losses = {(a, b): loss for a, b, loss in numbers}
        except (AttributeError, IndexError, ValueError) as error:
            raise InputError(
                f'{self.path} is damaged ({error}); --overwrite starts again'
            ) from error
        if changed:
            raise InputError(
                f'--resume: {self.path} was begun with another {", ".join(changed)}. Choose '
                'another folder, or --overwrite to start from the beginning.'
            )

    def add(self, a: float, b: float, loss: float) -> None:
        """Write a point.

        Raises:
            InputError: the disk is full.
        """
        self.losses[a, b] = loss
        try:
            with open(self.path, 'a') as file:
                file.write(_line(((a, b), loss)) + '\n')
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise InputError(f'{self.path} cannot be written ({error.strerror})') from error


def _line(point: tuple[tuple[float, float], float]) -> str:
    (a, b), loss = point
    return f'{a!r},{b!r},{loss!r}'
