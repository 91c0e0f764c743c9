"""What the checks of data sets share: what they find, and which files are there."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ...utils.messages import cut

IMAGES = ('.jpg', '.jpeg', '.png', '.ppm', '.bmp', '.pgm', '.tif', '.tiff', '.webp')


@dataclass
class Findings:
    """What a check found in a data set that can be used.

    Attributes:
        warnings: what is only suspicious, one line each.
        samples: images that a data loader gets, None where the check does not know.
        occurs: for every class how many boxes, pixels or images there are; {} where unknown.
        sampled: which part of the files ``occurs`` was counted in, '' for all of them.
    """

    warnings: list[str] = field(default_factory=list)
    samples: int | None = None
    occurs: dict[str, int] = field(default_factory=dict)
    sampled: str = ''


class Look(NamedTuple):
    """What was seen in one file: its fault, '' if none, and of a mask the pixels of each class."""

    fault: str = ''
    pixels: np.ndarray | None = None


def spread(total: int, most: int) -> list[int]:
    """Return up to ``most`` of the numbers below ``total``, evenly spread.

    >>> spread(9, 3)
    [0, 4, 8]
    """
    return np.linspace(0, total - 1, min(most, total)).round().astype(int).tolist()


def not_there(folder: str, names: list[str], source: str) -> list[str]:
    """Return those of ``names``, which ``source`` names, that are not files below ``folder``.

    A name that leads out of the folder is one of them, whatever is there: a list that came from
    somewhere should not choose what is read here. Each folder is listed once, since asking per file
    is slow.

    Raises:
        InputError: a folder that a name has in it cannot be listed.
    """
    parts = [os.path.split(name) for name in names]
    found = {part: _listing(folder, part, source) for part in {part for part, _ in parts}}
    return [os.path.join(part, name) for part, name in parts if name not in found[part]]


def stays_below(folder: str | Path, name: str) -> bool:
    """Return whether a path relative to ``folder`` leads to what is below, links aside.

    No folder (``''``) is that of a config which leaves the place to the names: all is below.

    >>> stays_below('images', 'a/../b.jpg'), stays_below('images', '../b.jpg')
    (True, False)
    """
    if not folder:
        return True
    root, place = os.path.abspath(folder), os.path.abspath(os.path.join(folder, name))
    return os.path.commonpath([root, place]) == root


def _listing(folder: str, part: str, source: str) -> set[str]:
    if not stays_below(folder, part):
        return set()
    try:
        with os.scandir(os.path.join(folder, part) or '.') as entries:
            return {entry.name for entry in entries if _is_file(entry)}
    except (FileNotFoundError, NotADirectoryError):
        return set()
    except (OSError, ValueError) as error:  # no permission, links in a circle, a NUL, too long
        reason = getattr(error, 'strerror', None) or error
        raise InputError(
            f'{source}: names files in the folder {cut(part)}, which cannot be listed: {reason}. '
            f'Correct the names, or the folder in {os.path.abspath(folder)}.'
        ) from error


def _is_file(entry: os.DirEntry) -> bool:
    try:
        return entry.is_file()
    except OSError:  # links in a circle
        return False
