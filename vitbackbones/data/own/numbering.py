"""Which class each value of index masks stands for: by a file of names, or by the values found."""

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...errors import InputError
from ...utils.messages import some
from ..checks.findings import spread
from ..loading.load_mask import IGNORED, BadMask, read_mask
from .folder import names_in_lines

FILES = ('classes.txt', 'labels.txt', 'class_names.txt')
NO_CLASS = {'void', 'ignore', 'ignored', 'unlabeled', 'unlabelled'}  # names for what is ignored
BINARY = ['background', 'foreground']
SAMPLE = 200  # masks that are looked at where a file names the classes; otherwise all
THREADS = 8


@dataclass
class Numbering:
    """How masks are read."""

    classes: list[str]  # their names
    values: tuple[int, ...] = ()  # of the classes, () where they are counted from 0, or from 1
    ignored: tuple[int, ...] = ()  # values that stand for no class, beside 255
    from_one: bool = False  # whether 0 stands for no class, and 1 for the first


def find_numbering(root: Path, masks: Sequence[Path]) -> Numbering:
    """Return how the ``masks`` of all splits are numbered; ``root`` may have a file of names.

    Raises:
        InputError: the values do not tell, or do not fit the names.
    """
    file = next((root / name for name in FILES if (root / name).is_file()), None)
    if file is None:
        return by_values(root, values_in(masks))
    numbers, names = None, names_in_lines(file)
    numbered = [re.fullmatch(r'(\d{1,9})\s*[:=,\t ]\s*(.+)', line) for line in names]
    if all(numbered):
        numbers, names = [int(line[1]) for line in numbered], [line[2] for line in numbered]
    return by_names(file, numbers, names, values_in([masks[i] for i in spread(len(masks), SAMPLE)]))


def values_in(masks: Sequence[Path]) -> list[int]:
    """Return the values that masks hold.

    Raises:
        BadMask: one cannot be read, or has a value over 255.
    """
    with ThreadPoolExecutor(THREADS) as pool:
        return sorted(set().union(*pool.map(_values, masks)))


def _values(mask: Path) -> list[int]:
    values = read_mask(str(mask))
    if values.min() < 0 or values.max() > IGNORED:
        raise BadMask(f'mask file {mask}: holds {values.max()}; values of masks go from 0 to 255.')
    return np.unique(values).tolist()  # takes an eighth of the memory of a bincount


def by_values(root: Path, values: Sequence[int]) -> Numbering:
    """Return the numbering of masks that nothing but their values tells of."""
    if list(values) == [0, IGNORED]:
        return Numbering(BINARY, values=(0, IGNORED))
    values = [value for value in values if value != IGNORED]
    if len(values) < 2:
        raise InputError(
            f'{root}: all masks together hold {some(values) or "nothing"} (and 255, which is '
            'ignored); at least two classes are needed.'
        )
    names = BINARY if values == [0, 1] else [f'class {value}' for value in values]
    counted = list(range(values[0], values[0] + len(values)))
    if values == counted and values[0] <= 1:
        return Numbering(names, from_one=values[0] == 1)
    return Numbering(names, values=tuple(values))


def by_names(
    file: Path, numbers: Sequence[int] | None, names: Sequence[str], values: Sequence[int]
) -> Numbering:
    """Return the numbering of masks whose classes have names.

    Args:
        file: which names them.
        numbers: the value of each in the masks, None where the file does not say it.
        names: one for each class; some names stand for what is ignored.
        values: those that masks hold.
    """
    if len(names) == 2 and {*values} == {0, IGNORED}:
        return Numbering(list(names), values=(0, IGNORED))
    values, counted = {*values} - {IGNORED}, range(len(names))
    if numbers is None and 0 not in values and len(names) in values <= {*range(1, len(names) + 1)}:
        return Numbering(list(names), from_one=True)
    told = dict(zip(counted if numbers is None else numbers, names, strict=True))
    if strange := sorted(values - told.keys()):
        raise InputError(
            f'{file}: names {len(names)} classes, the values {some(sorted(told))}, but masks hold '
            f'{some(strange)} as well. Name what these stand for; a value that belongs to no class '
            'is named void.'
        )
    ignored = tuple(n for n, name in told.items() if name.lower() in NO_CLASS)
    kept = {n: name for n, name in told.items() if n not in ignored}
    plain = list(kept) == list(range(len(kept)))
    return Numbering(list(kept.values()), () if plain else tuple(kept), ignored)
