"""What the checks of data sets share: what they find, and which files are there."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ...utils.messages import cut, some

IMAGES = ('.jpg', '.jpeg', '.png', '.ppm', '.bmp', '.pgm', '.tif', '.tiff', '.webp')


@dataclass
class Findings:
    """What a check found in a data set that can be used.

    Attributes:
        warnings: what is only suspicious, one line each.
        samples: how many images a data loader gets, None where the check does not know.
        occurs: how many boxes, pixels or images there are of each class; {} where unknown.
        sampled: which part of the files ``occurs`` was counted in, '' for all of them.
    """

    warnings: list[str] = field(default_factory=list)
    samples: int | None = None
    occurs: dict[str, int] = field(default_factory=dict)
    sampled: str = ''


class Look(NamedTuple):
    """What was seen in one file: its fault, '' if it is good, and a mask's pixels of each class."""

    fault: str = ''
    pixels: np.ndarray | None = None


def spread(total: int, most: int) -> list[int]:
    """Return up to ``most`` of the numbers below ``total``, evenly spread.

    >>> spread(9, 3)
    [0, 4, 8]
    """
    return np.linspace(0, total - 1, min(most, total)).round().astype(int).tolist()


def fault_lines(file: str, faults: dict[str, list]) -> list[str]:
    """Return a warning for each fault that annotations have, with the ids of the first ones."""
    return [
        f'{file}: {fault}: {len(ids)} (annotation ids {some(ids)})'
        for fault, ids in faults.items()
        if ids
    ]


def not_there(folder: str, names: list[str]) -> list[str]:
    """Return those of ``names`` that are not files below ``folder``.

    A name that leads out of the folder is one of them, whatever is there: a list from somewhere
    else must not choose what is read here. Each folder is listed once, as asking for each file is
    slow.

    Raises:
        InputError: a folder may not be read.
    """
    parts = [os.path.split(name) for name in names]
    found = {part: _files(folder, part) for part in {part for part, _ in parts}}
    return [os.path.join(part, name) for part, name in parts if name not in found[part]]


def stays_below(folder: str | Path, name: str) -> bool:
    """Return whether a path relative to ``folder`` leads to a place below it; links do not count.

    With ``''``, the folder of a config that leaves the place to the names, everything is below.

    >>> stays_below('images', 'a/../b.jpg'), stays_below('images', '../b.jpg')
    (True, False)
    """
    if not folder:
        return True
    root, place = os.path.abspath(folder), os.path.abspath(os.path.join(folder, name))
    return os.path.commonpath([root, place]) == root


def _files(folder: str, part: str) -> set[str]:
    if not stays_below(folder, part):
        return set()
    place = os.path.join(folder, part) or '.'
    try:
        with os.scandir(place) as entries:
            return {entry.name for entry in entries if _is_file(entry)}
    except PermissionError as error:
        raise InputError(f'{cut(place)}: {error.strerror}. Allow the folder to be read.') from error
    except (OSError, ValueError):  # there is no such folder, or none can have such a name
        return set()


def _is_file(entry: os.DirEntry) -> bool:
    try:
        return entry.is_file()
    except OSError:  # links in a circle
        return False
