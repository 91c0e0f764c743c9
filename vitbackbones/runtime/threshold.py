"""From which score on an object counts: chosen by ``test --report``, kept beside the weights.

``model.pth.threshold.json`` holds it, with the SHA-256 of the weights: those of a later run that
have the same name do not get it. The card of an exported file has it, too.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from ..utils.files import read_json, write_file
from ..utils.messages import some
from ..utils.rules import DICT, TEXT, number
from .card import digest
from .step_rules import require_values

SCORE = number(least=0, most=1)
ENDING = '.threshold.json'


@dataclass(frozen=True)
class Threshold:
    """Least scores of objects.

    Attributes:
        score: of all classes.
        source: where it comes from.
        classes: by their names, the scores of those for which another one is better.
    """

    score: float = 0.3
    source: str = 'the default, as test --report has chosen none'
    classes: Mapping[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        others = [f'{name} {score:g}' for name, score in self.classes.items()]
        return f'{self.score:g} ({", ".join([*others, self.source])})'

    def of(self, classes: Sequence[str]) -> np.ndarray:
        """Return the least score of each class, (C,) in float32."""
        return np.array([self.classes.get(name, self.score) for name in classes], np.float32)

    @classmethod
    def given(cls, value: float | str | Path, name: str, classes: Sequence[str]) -> 'Threshold':
        """Return a score for all ``classes``, or the scores in a file, as the option ``name``.

        Raises:
            InputError: the file cannot be read, says something else, or has other classes.
        """
        if isinstance(value, int | float):
            return cls(value, name)
        if not Path(value).is_file():
            raise InputError(
                f'{name}={value}: is neither a number from 0 to 1 nor a file that exists'
            )
        threshold = cls.checked(read_json(Path(value)), str(value))
        if strange := sorted({*threshold.classes} - {*classes}):
            raise InputError(
                f'{name} {value}: is of another model, as this one has no class {some(strange)}'
            )
        return threshold

    @classmethod
    def checked(cls, content: Any, place: str) -> 'Threshold':
        """Return what a file says, which others may have written.

        Raises:
            InputError: it says something else; ``place`` begins the message.
        """
        if not isinstance(content, Mapping):
            raise InputError(f'{place}: must be an object {{...}}')
        values: dict[str, Any] = {name: content.get(name) for name in cls.__annotations__}
        require_values(values, {'score': SCORE, 'source': TEXT, 'classes': DICT}, f'{place}: ')
        names = values['classes']
        require_values(names, dict.fromkeys(names, SCORE), f'{place}: classes.')
        return cls(**values)


def read_threshold(weights: Path) -> Threshold | None:
    """Return the threshold of a file of weights, None where none was chosen for what is in it.

    Raises:
        InputError: the file beside it cannot be read, or says something else.
    """
    path = Path(f'{weights}{ENDING}')
    if not path.is_file():
        return None
    content = read_json(path)
    is_of_others = isinstance(content, Mapping) and content.get('sha256') != digest(weights)
    return None if is_of_others else Threshold.checked(content, str(path))


def write_threshold(weights: Path, threshold: Threshold, folder: Path | None = None) -> Path:
    """Write the threshold of a file of weights, and return its path.

    Args:
        weights: the file.
        threshold: what to write.
        folder: where to; by default beside the weights, where :func:`read_threshold` looks.

    Raises:
        InputError: it cannot be written.
    """
    path = (folder or weights.parent) / f'{weights.name}{ENDING}'
    content = asdict(threshold) | {'sha256': digest(weights)}
    write_file(path, json.dumps(content, indent=1).encode())
    return path
