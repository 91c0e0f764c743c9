"""Read the polygons of many objects at once, before C code draws them.

pycocotools walks around a polygon in steps of a fifth of a pixel, however long that is.
"""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from .coco_file import NUMBER

FARTHEST = 1e6  # pixels, of a corner from the image
LONGEST = 4e6  # pixels around all polygons of an object


class Polygons(NamedTuple):
    """What was seen of N objects, which have one or more polygons each.

    Attributes:
        bounds: (N, 4) as x1, y1, x2, y2, of the polygons with an area; all 0 where there are none.
        short: (N,) in bool, one of its polygons has fewer than 3 points, or half a point.
        endless: (N,) in bool, its polygons would take minutes or all memory to draw.
    """

    bounds: np.ndarray
    short: np.ndarray
    endless: np.ndarray


def are_numbers(polygons: Sequence) -> bool:
    """Tell whether all of many polygons are lists of numbers that fit into floats."""
    if set(map(type, polygons)) - {list}:
        return False
    return not set(map(type, chain.from_iterable(polygons))) - set(NUMBER)


def read_polygons(objects: Sequence[list[list]]) -> Polygons:
    """Look at the polygons of objects, which are lists of numbers."""
    parts = [part for polygons in objects for part in polygons]
    owner = np.arange(len(objects)).repeat([len(polygons) for polygons in objects])
    length = np.array([len(part) for part in parts], int)
    flat = _as_floats(parts)
    is_far = ~(np.abs(flat) <= FARTHEST)  # also what is no number
    is_whole = (length >= 6) & (length % 2 == 0)
    is_whole[_any(is_far, np.arange(len(parts)).repeat(length), len(parts))] = False
    corners = flat[is_whole.repeat(length)].reshape(-1, 2)
    box, area, path = _measure(corners, length[is_whole] // 2)
    drawn = owner[is_whole]
    bounds = np.full((len(objects), 4), np.inf)
    np.minimum.at(bounds, drawn[area > 0], box[area > 0])
    bounds[np.isinf(bounds)] = 0
    return Polygons(
        bounds * [1, 1, -1, -1],
        short=_any((length < 6) | (length % 2 == 1), owner, len(objects)),
        endless=_any(is_far, owner.repeat(length), len(objects))
        | (np.bincount(drawn, path, len(objects)) > LONGEST),
    )


def _as_floats(parts: Sequence[list]) -> np.ndarray:
    """Return all numbers of polygons in one row."""
    try:
        return np.fromiter(chain.from_iterable(parts), np.float64)
    except OverflowError:  # an integer of hundreds of digits
        return np.array([np.inf if abs(n) > FARTHEST else n for part in parts for n in part])


def _any(flags: np.ndarray, owner: np.ndarray, count: int) -> np.ndarray:
    """Tell for each of ``count`` owners whether one of its flags is set."""
    return np.bincount(owner[flags], minlength=count) > 0


def _measure(corners: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, ...]:
    """Measure polygons whose corners (K, 2) follow one another, ``counts`` (P,) of each.

    Returns:
        Their bounds (P, 4) as x1, y1, -x2, -y2, twice their areas and the lengths around them.
    """
    if not len(counts):
        return np.zeros((0, 4)), np.zeros(0), np.zeros(0)
    end = counts.cumsum()
    start = end - counts
    following = np.arange(1, len(corners) + 1)
    following[end - 1] = start
    step = corners[following] - corners
    cross = corners[:, 0] * step[:, 1] - corners[:, 1] * step[:, 0]
    box = np.minimum.reduceat(np.hstack([corners, -corners]), start)
    path = np.add.reduceat(np.abs(step).max(1), start)
    return box, np.abs(np.add.reduceat(cross, start)), path
